// SPDX-License-Identifier: MIT
#include "zoo.h"
#include "zoo_inline.h"

// Overloads, templates, lambdas, virtual functions.

namespace zoo {

template <typename T, unsigned N> class Ring
{
public:
    void put(T item)
    {
        items[head] = item;
        head = (head + 1) % N;
    }

    NOINLINE T fold() const
    {
        T sum = T();
        for (unsigned i = 0; i < N; i++)
            sum += items[i];
        return sum;
    }

private:
    T items[N] = {};
    unsigned head = 0;
};

struct Shape {
    virtual uint32_t area() const = 0;
    virtual uint32_t edges() const
    {
        return 0;
    }
};

struct Square : Shape {
    explicit Square(uint32_t side) : side(side) {}
    uint32_t area() const override
    {
        return side * side + zoo_port[1];
    }
    uint32_t edges() const override
    {
        return 4;
    }
    uint32_t side;
};

struct Circle : Shape {
    explicit Circle(uint32_t radius) : radius(radius) {}
    uint32_t area() const override
    {
        return zoo_rotate(radius * radius * 3, 2);
    }
    uint32_t radius;
};

NOINLINE uint32_t weight(uint32_t value)
{
    return value + zoo_port[2];
}

NOINLINE uint32_t weight(const Shape &shape)
{
    return shape.area() + shape.edges();
}

NOINLINE uint32_t weight(const char *name)
{
    uint32_t sum = 0;
    while (*name)
        sum = zoo_round(sum, static_cast<uint8_t>(*name++));
    return sum;
}

template <typename F> NOINLINE uint32_t apply(uint32_t count, F function)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += function(i);
    return sum;
}

template <typename F> inline uint32_t apply_twice(F function)
{
    return function(1u) + function(2u);
}

} // namespace zoo

extern "C" void __cxa_pure_virtual()
{
    for (;;)
        zoo_port[15] = 15;
}

extern "C" uint32_t zoo_shapes(uint32_t seed)
{
    zoo::Ring<uint32_t, 4> words;
    zoo::Ring<uint16_t, 3> halves;
    zoo::Square square(seed);
    zoo::Circle circle(seed + 1);
    uint32_t base = zoo_port[4];

    words.put(zoo::weight(square));
    words.put(zoo::weight(circle));
    halves.put(static_cast<uint16_t>(zoo::weight("round")));
    halves.put(static_cast<uint16_t>(zoo::weight(seed)));
    auto square_of = [base](uint32_t i) {
        zoo_port[5] = base;
        return i * i + base;
    };
    words.put(zoo::apply(3, square_of));
    words.put(zoo::apply(5, [](uint32_t i) { return zoo_rotate(i, 3); }));
    words.put(zoo::apply_twice([seed](uint32_t i) {
        zoo_port[6] = seed;
        return zoo_round(seed, i);
    }));
    return words.fold() + halves.fold();
}

// Called by nobody.
uint32_t zoo_unused_shapes(const zoo::Shape &shape)
{
    zoo::Ring<uint32_t, 4> words;
    words.put(zoo::weight(shape));
    return words.fold();
}
