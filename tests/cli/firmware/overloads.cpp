// SPDX-License-Identifier: MIT
//
// The same name three times, and a lambda.

volatile int counter;

namespace net {

template <class T> struct queue {
    __attribute__((noinline)) void push(T value)
    {
        counter = counter + static_cast<int>(value);
    }
};

__attribute__((noinline)) int add(int value)
{
    counter = counter + value;
    return counter;
}

__attribute__((noinline)) int add(short value)
{
    counter = counter - value;
    return counter;
}

} // namespace net

extern "C" void _start()
{
    net::queue<int> numbers;
    auto twice = [](int value) __attribute__((noinline)) {
        counter = counter + 2 * value;
    };

    numbers.push(net::add(1) + net::add(static_cast<short>(2)));
    twice(counter);
    for (;;)
        continue;
}
