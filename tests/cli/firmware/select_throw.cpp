// SPDX-License-Identifier: MIT
// What is left by exceptions: hooks in landing pads.

volatile int select_thrown;
int guarded(int value);
int caught(int value);

struct Guard {
    explicit Guard(int value) : kept(value)
    {
        select_thrown = value;
    }
    ~Guard()
    {
        select_thrown = -kept;
    }
    int kept;
};

static inline int risky(int value)
{
    Guard inner(value);

    if (value % 3 == 0)
        throw value;
    return value + 1;
}

__attribute__((noinline)) int guarded(int value)
{
    Guard outer(value + 1);

    return risky(value) + risky(value + 1);
}

__attribute__((noinline)) int caught(int value)
{
    try {
        Guard guard(7);

        return guarded(value);
    } catch (int thrown) {
        return thrown * 2;
    }
}

int main()
{
    int sum = 0;

    for (int i = 0; i < 6; i++)
        sum += caught(i);
    return sum;
}
