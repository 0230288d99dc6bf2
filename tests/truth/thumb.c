/* SPDX-License-Identifier: MIT */

#include "thumb.h"

enum {
    LR = 14,
    PC = 15
};

static int32_t sign_extend(uint32_t value, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);

    return (int32_t)((value ^ sign) - sign);
}

static uint32_t relative(uint32_t address, int32_t offset)
{
    return address + 4 + (uint32_t)offset;
}

static struct thumb through(unsigned source)
{
    return (struct thumb){.kind = source == LR ? THUMB_RETURN : THUMB_INDIRECT};
}

static struct thumb it_block(uint16_t code)
{
    struct thumb it = {.kind = THUMB_PLAIN, .it = 4};

    for (unsigned mask = code & 0xFu; !(mask & 1); mask >>= 1) {
        it.it--;
    }
    return it;
}

static struct thumb decode16(uint32_t address, uint16_t code)
{
    struct thumb plain = {.kind = THUMB_PLAIN};

    if ((code & 0xF000) == 0xD000 && (code & 0x0F00) < 0x0E00) {
        return (struct thumb){
                .kind = THUMB_BRANCH,
                .conditional = true,
                .target = relative(address, sign_extend(code & 0xFF, 8) * 2)};
    }
    if ((code & 0xF800) == 0xE000) {
        return (struct thumb){
                .kind = THUMB_BRANCH,
                .target = relative(address, sign_extend(code & 0x7FF, 11) * 2)};
    }
    if ((code & 0xF500) == 0xB100) { /* CBZ, CBNZ */
        return (struct thumb){
                .kind = THUMB_BRANCH,
                .conditional = true,
                .target = relative(address, (code >> 3 & 0x1F) << 1
                                                    | (code >> 9 & 1) << 6)};
    }
    if ((code & 0xFF80) == 0x4700) { /* BX */
        return through(code >> 3 & 0xF);
    }
    if ((code & 0xFF80) == 0x4780) { /* BLX */
        return (struct thumb){.kind = THUMB_CALL};
    }
    if ((code & 0xFF87) == 0x4687) { /* MOV PC */
        return through(code >> 3 & 0xF);
    }
    if ((code & 0xFF87) == 0x4487) { /* ADD PC */
        return through(PC);
    }
    if ((code & 0xFF00) == 0xBD00) { /* POP with PC */
        return through(LR);
    }
    if ((code & 0xFF00) == 0xBF00 && (code & 0xF) != 0) {
        return it_block(code);
    }
    return plain;
}

/* Offset of BL and B.W, encodings T1 and T4. */
static int32_t offset25(uint16_t first, uint16_t second)
{
    uint32_t s = first >> 10 & 1;
    uint32_t i1 = !((second >> 13 & 1) ^ s);
    uint32_t i2 = !((second >> 11 & 1) ^ s);

    return sign_extend(s << 24 | i1 << 23 | i2 << 22 | (first & 0x3FFu) << 12
                               | (second & 0x7FFu) << 1,
                       25);
}

/* Offset of the conditional B.W, encoding T3. */
static int32_t offset21(uint16_t first, uint16_t second)
{
    return sign_extend((first >> 10 & 1u) << 20 | (second >> 11 & 1u) << 19
                               | (second >> 13 & 1u) << 18
                               | (first & 0x3Fu) << 12 | (second & 0x7FFu) << 1,
                       21);
}

static struct thumb decode_branch32(uint32_t address, uint16_t first,
                                    uint16_t second)
{
    switch (second & 0xD000) {
    case 0xD000:
        return (struct thumb){
                .kind = THUMB_CALL,
                .target = relative(address, offset25(first, second))};
    case 0x9000:
        return (struct thumb){
                .kind = THUMB_BRANCH,
                .target = relative(address, offset25(first, second))};
    case 0x8000:
        if ((first & 0x0380) == 0x0380) { /* MSR, MRS, hints, barriers */
            return (struct thumb){.kind = THUMB_PLAIN};
        }
        return (struct thumb){
                .kind = THUMB_BRANCH,
                .conditional = true,
                .target = relative(address, offset21(first, second))};
    default: /* the loop instructions of ARMv8.1-M */
        return (struct thumb){.kind = THUMB_INDIRECT, .conditional = true};
    }
}

static struct thumb decode32(uint32_t address, uint16_t first, uint16_t second)
{
    if ((first & 0xF800) == 0xF000 && (second & 0x8000)) {
        return decode_branch32(address, first, second);
    }
    if ((first & 0xFFD0) == 0xE890 && (second & 0x8000)) { /* LDMIA with PC */
        return through((first & 0xF) == 13 ? LR : PC);
    }
    if ((first & 0xFFD0) == 0xE910 && (second & 0x8000)) { /* LDMDB with PC */
        return through(PC);
    }
    if ((first & 0xFF70) == 0xF850 && second >> 12 == PC) { /* LDR PC */
        bool popped = first == 0xF85D && second == 0xFB04;

        return through(popped ? LR : PC);
    }
    if ((first & 0xFFF0) == 0xE8D0 && (second & 0xFFE0) == 0xF000) { /* TBB */
        return through(PC);
    }
    return (struct thumb){.kind = THUMB_PLAIN};
}

unsigned thumb_size(uint16_t first)
{
    return first >= 0xE800 ? 4 : 2;
}

struct thumb thumb_decode(uint32_t address, uint16_t first, uint16_t second)
{
    return thumb_size(first) == 2 ? decode16(address, first)
                                  : decode32(address, first, second);
}
