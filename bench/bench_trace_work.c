/* SPDX-License-Identifier: MIT */
/*
 * Work of the kinds and the density of calls that CoreMark has: list, matrix,
 * state machine and CRC in small functions, an event about every 20
 * instructions at -O2. Compiled with -finstrument-functions where hooks are
 * measured.
 */
#include "bench_trace_work.h"

enum {
    NODES = 40,
    SIZE = 15,
    TEXT = 160
};

struct node {
    struct node *next;
    int16_t key;
    int16_t index;
};

enum state {
    START,
    SIGN,
    INTEGER,
    POINT,
    EXPONENT,
    INVALID,
    STATES
};

static struct node nodes[NODES];
static int16_t left[SIZE][SIZE], right[SIZE][SIZE];
static int32_t product[SIZE][SIZE];
static char text[TEXT + 1];

typedef int (*compare)(const struct node *, const struct node *);

/* Not static: each exists by itself, inlined or not, as in CoreMark. */
uint16_t bench_crc32(uint32_t value, uint16_t crc);
const char *bench_field(const char *at, enum state *out);
uint16_t bench_parse(uint16_t crc);
const struct node *bench_find(const struct node *list, int16_t index);
struct node *bench_reverse(struct node *list);
struct node *bench_sort(struct node *list, compare order);
uint16_t bench_list(uint16_t crc);
void bench_multiply(void);
uint16_t bench_matrix(uint16_t crc);

static uint16_t crc8(uint8_t byte, uint16_t crc)
{
    for (int bit = 0; bit < 8; bit++) {
        unsigned carry = (byte ^ crc) & 1u;
        byte >>= 1;
        crc = (uint16_t)(crc >> 1 ^ (carry ? 0xA001u : 0u));
    }
    return crc;
}

static uint16_t crc16(uint16_t value, uint16_t crc)
{
    crc = crc8((uint8_t)value, crc);
    return crc8((uint8_t)(value >> 8), crc);
}

uint16_t bench_crc32(uint32_t value, uint16_t crc)
{
    crc = crc16((uint16_t)value, crc);
    return crc16((uint16_t)(value >> 16), crc);
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static enum state after_number(enum state state, char c)
{
    if (c == '.' && state != POINT && state != EXPONENT) {
        return POINT;
    }
    return c == 'e' && state != EXPONENT ? EXPONENT : INVALID;
}

/* Runs over one field, up to its comma. */
const char *bench_field(const char *at, enum state *out)
{
    enum state state = START;
    for (; *at != ','; at++) {
        if (is_digit(*at)) {
            state = state == START || state == SIGN ? INTEGER : state;
        } else if (state == START && (*at == '+' || *at == '-')) {
            state = SIGN;
        } else if (state != INVALID) {
            state = after_number(state, *at);
        }
    }
    *out = state;
    return at + 1;
}

uint16_t bench_parse(uint16_t crc)
{
    uint16_t counts[STATES] = {0};
    const char *at = text;
    while (at <= text + TEXT) {
        enum state state;
        at = bench_field(at, &state);
        counts[state]++;
    }
    for (unsigned i = 0; i < STATES; i++) {
        crc = crc16(counts[i], crc);
    }
    return crc;
}

static int by_index(const struct node *a, const struct node *b)
{
    return a->index - b->index;
}

static int weigh(const struct node *node)
{
    return (node->key & 0xFF) - (node->key >> 8);
}

static int by_key(const struct node *a, const struct node *b)
{
    return weigh(a) - weigh(b);
}

const struct node *bench_find(const struct node *list, int16_t index)
{
    while (list != NULL && list->index != index) {
        list = list->next;
    }
    return list;
}

struct node *bench_reverse(struct node *list)
{
    struct node *out = NULL;
    while (list != NULL) {
        struct node *next = list->next;
        list->next = out;
        out = list;
        list = next;
    }
    return out;
}

static struct node *merge(struct node *a, struct node *b, compare order)
{
    struct node *head = NULL;
    struct node **tail = &head;
    while (a != NULL && b != NULL) {
        struct node **lesser = order(a, b) <= 0 ? &a : &b;
        *tail = *lesser;
        tail = &(*lesser)->next;
        *lesser = *tail;
    }
    *tail = a != NULL ? a : b;
    return head;
}

struct node *bench_sort(struct node *list, compare order)
{
    struct node *slow = list;
    if (list == NULL || list->next == NULL) {
        return list;
    }
    for (struct node *fast = list->next; fast != NULL && fast->next != NULL;
         fast = fast->next->next) {
        slow = slow->next;
    }
    struct node *half = slow->next;
    slow->next = NULL;
    return merge(bench_sort(list, order), bench_sort(half, order), order);
}

uint16_t bench_list(uint16_t crc)
{
    struct node *list = bench_sort(nodes, by_key);
    for (int16_t i = 0; i < 4; i++) {
        const struct node *found = bench_find(list, (int16_t)(i * 9));
        crc = crc16((uint16_t)(found != NULL ? found->key : 0), crc);
        list = bench_reverse(list);
    }
    list = bench_sort(list, by_index);
    return crc16((uint16_t)(list != NULL ? list->key : 0), crc);
}

static void matrix_fill(int16_t seed)
{
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++) {
            seed = (int16_t)(seed * 157 + row + column);
            left[row][column] = seed;
            right[column][row] = (int16_t)(seed >> 4);
        }
    }
}

void bench_multiply(void)
{
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < SIZE; column++) {
            int32_t sum = 0;
            for (int i = 0; i < SIZE; i++) {
                sum += left[row][i] * right[i][column];
            }
            product[row][column] = sum;
        }
    }
}

uint16_t bench_matrix(uint16_t crc)
{
    matrix_fill((int16_t)crc);
    bench_multiply();
    for (int i = 0; i < SIZE; i++) {
        crc = bench_crc32((uint32_t)product[i][SIZE - 1 - i], crc);
    }
    return crc;
}

static void prepare(uint16_t seed)
{
    static const char letters[] = "0123456789,,+-.e1x,5";
    for (int16_t i = 0; i < NODES; i++) {
        seed = (uint16_t)(seed * 25173u + 13849u);
        nodes[i].key = (int16_t)seed;
        nodes[i].index = i;
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : NULL;
    }
    for (int i = 0; i < TEXT; i++) {
        seed = (uint16_t)(seed * 25173u + 13849u);
        text[i] = letters[(seed >> 8) % (sizeof(letters) - 1u)];
    }
    text[TEXT] = ',';
}

uint16_t bench_trace_work(uint16_t seed)
{
    prepare(seed);
    return bench_matrix(bench_parse(bench_list(seed)));
}
