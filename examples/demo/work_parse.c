/* SPDX-License-Identifier: MIT */

#include "work.h"

enum state {
    START,
    SIGN,
    INTEGER,
    FRACTION,
    EXPONENT,
    INVALID,
    STATES
};

static const char text[] = "12,-7.25,+3e8,0.5,abc,99,-1e,.5,2..3,+,640,7e7e,"
                           "1024,-0.125,3.14159,6e2,x9,31,-273.15,0,";

enum state parse_next(enum state state, char character);
const char *parse_field(const char *field, enum state *state);

/* One transition. */
enum state parse_next(enum state state, char character)
{
    if (character >= '0' && character <= '9') {
        return state == START || state == SIGN ? INTEGER : state;
    }
    switch (character) {
    case '+':
    case '-':
        return state == START ? SIGN : INVALID;
    case '.':
        return state == INVALID || state >= FRACTION ? INVALID : FRACTION;
    case 'e':
        return state == INTEGER || state == FRACTION ? EXPONENT : INVALID;
    default:
        return INVALID;
    }
}

/* Runs over one field and its comma. */
const char *parse_field(const char *field, enum state *state)
{
    *state = START;
    while (*field != ',') {
        *state = parse_next(*state, *field++);
    }
    return field + 1;
}

uint16_t parse_exercise(uint16_t seed)
{
    uint16_t counts[STATES] = {seed};
    enum state state;

    for (int pass = 0; pass < 12; pass++) {
        for (const char *field = text; *field;) {
            field = parse_field(field, &state);
            counts[state]++;
        }
    }
    return crc16(seed, counts, sizeof(counts));
}
