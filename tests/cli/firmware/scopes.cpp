// SPDX-License-Identifier: MIT
//
// Functions that gcc gives no linkage name: static ones, lambdas, and what is
// made of lambdas. Each spot is a symbol.

#define SPOT(name) __asm__ volatile(".global at_" name "\nat_" name ":\n\tnop")
#define INLINE static inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))

namespace uart
{
INLINE void init()
{
    SPOT("uart_init");
}
} // namespace uart

namespace spi
{
INLINE void init()
{
    SPOT("spi_init");
}
} // namespace spi

namespace
{
inline __attribute__((always_inline)) void hidden()
{
    SPOT("hidden");
}
} // namespace

namespace bus
{
static NOINLINE void send()
{
    SPOT("send");
}

struct Port {
    NOINLINE ~Port()
    {
        SPOT("closed");
    }
};

namespace
{
struct Meter {
    NOINLINE void poll()
    {
        auto local = []() __attribute__((always_inline))
        {
            SPOT("polled");
        };
        local();
    }
};
} // namespace
} // namespace bus

template <typename F> INLINE void apply(F function)
{
    __asm__ volatile("at_apply_%=: nop" ::);
    function();
}

extern "C" void _start()
{
    uart::init();
    spi::init();
    hidden();
    bus::send();
    bus::Port port;
    bus::Meter meter;
    meter.poll();
    apply([] { SPOT("lambda_one"); }); // one
    apply([] { SPOT("lambda_two"); }); // two
}
