// SPDX-License-Identifier: MIT
// Work in C++: constructors and destructors on all ways, virtual functions,
// templates, operators, lambdas.
#include "select_truth.h"

namespace shapes {

struct Count {
    explicit Count(uint32_t &counted) : where(counted)
    {
        where += 3;
    }
    ~Count()
    {
        where ^= 0x11u;
    }
    Count(const Count &) = delete;
    Count &operator=(const Count &) = delete;
    uint32_t &where;
};

class Shape {
public:
    virtual uint32_t area() const = 0;
    virtual uint32_t scaled(uint32_t by) const
    {
        return area() * by;
    }

protected:
    ~Shape() = default;
};

class Square final : public Shape {
public:
    explicit Square(uint32_t given) : side(given)
    {
    }
    uint32_t area() const override
    {
        return side * side;
    }

private:
    uint32_t side;
};

class Box final : public Shape {
public:
    Box(uint32_t given_a, uint32_t given_b) : a(given_a), b(given_b)
    {
    }
    uint32_t area() const override
    {
        return a * b;
    }
    uint32_t scaled(uint32_t by) const override
    {
        return Shape::scaled(by) + 1;
    }

private:
    uint32_t a, b;
};

template <typename T> static T larger(T a, T b)
{
    return a < b ? b : a;
}

template <unsigned N> struct Chain {
    static uint32_t of(uint32_t sum)
    {
        return Chain<N - 1>::of(sum * 5 + N);
    }
};

template <> struct Chain<0> {
    static uint32_t of(uint32_t sum)
    {
        return sum;
    }
};

template <typename F>
__attribute__((noinline)) static uint32_t repeat(unsigned count, F what)
{
    uint32_t sum = 0;
    while (count-- > 0) {
        sum += what(count);
    }
    return sum;
}

__attribute__((noinline)) static uint32_t visit(const Shape &shape,
                                                uint32_t &counted)
{
    Count outer(counted);
    if (counted % 5 == 0) {
        return shape.area();
    }
    Count inner(counted);
    for (uint32_t i = 0; i < 3; i++) {
        Count each(counted);
        if ((counted + i) % 7 == 0) {
            return shape.scaled(i);
        }
    }
    return shape.scaled(2);
}

} // namespace shapes

uint32_t select_objects(uint32_t sum)
{
    using namespace shapes;
    uint32_t counted = sum & 0xFFu;
    const Square square(3);
    const Box box(2, 5);
    const Shape *const all[] = {&square, &box};
    for (uint32_t i = 0; i < 6; i++) {
        sum = sum * 31 + visit(*all[i & 1u], counted);
    }
    sum += larger(sum, counted) ^ larger<uint16_t>(7, (uint16_t)sum);
    sum += Chain<4>::of(sum);
    return sum
           + repeat(4, [sum](uint32_t i) { return larger(sum >> i, i); });
}
