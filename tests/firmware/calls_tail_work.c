/* SPDX-License-Identifier: MIT */
/*
 * A call in a tail, and one that is inlined: optimised, so that what a hook is
 * told of its caller is not true, and hooks are jumped to. Only nesting is
 * true.
 */
int main(void);
void tailer(int n);
void leaf(int n);

static volatile int worked;

static inline void tiny(int n)
{
    worked += n;
}

__attribute__((noinline)) void leaf(int n)
{
    tiny(n);
}

__attribute__((noinline)) void tailer(int n)
{
    worked++;
    leaf(n);
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        tailer(i);
    }
    return 0;
}
