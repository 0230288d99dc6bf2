/* SPDX-License-Identifier: MIT */
#include "thumb_decode.h"

/*
 * Two tables, one for each size: the first row that fits says which fields of
 * the instruction name registers, and a function does what is left to do.
 */

/* Fields of registers: read (R_) and written (W_). */
enum {
    /* 32 bits: named as the manual does, of the two halfwords as one word */
    R_N = 1 << 0, /* 19:16 */
    R_T = 1 << 1, /* 15:12 */
    R_D = 1 << 2, /* 11:8 */
    R_M = 1 << 3, /* 3:0 */
    W_N = 1 << 4,
    W_T = 1 << 5,
    W_D = 1 << 6,
    W_M = 1 << 7,

    /* 16 bits: by their lowest bit */
    R_0 = 1 << 0, /* 2:0 */
    R_3 = 1 << 1, /* 5:3 */
    R_6 = 1 << 2, /* 8:6 */
    R_8 = 1 << 3, /* 10:8 */
    W_0 = 1 << 4,
    W_8 = 1 << 5,
    R_HIGH = 1 << 6,  /* 6:3, of all registers */
    R_HIGHD = 1 << 7, /* 7 and 2:0, of all registers */
    W_HIGHD = 1 << 8
};

struct row {
    uint32_t mask;
    uint32_t is;
    unsigned registers;
    void (*finish)(struct thumb *out, uint32_t code);
};

static unsigned field(uint32_t code, unsigned low, unsigned width)
{
    return code >> low & ((1U << width) - 1);
}

static uint32_t sign_extend(uint32_t value, unsigned width)
{
    uint32_t sign = (uint32_t)1 << (width - 1);

    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

static uint32_t literal_base(const struct thumb *out)
{
    return (out->address + 4) & ~(uint32_t)3;
}

static void make(struct thumb *out, enum thumb_make how, unsigned made,
                 uint32_t value)
{
    out->make = how;
    out->made = made;
    out->value = value;
}

static void go(struct thumb *out, enum thumb_flow flow, uint32_t distance)
{
    out->flow = flow;
    out->has_target = true;
    out->target = out->address + 4 + distance;
}

static void go_through(struct thumb *out, enum thumb_flow flow, unsigned name)
{
    out->flow = flow;
    out->through = name;
}

static void stop(struct thumb *out, uint32_t code)
{
    (void)code;
    out->flow = THUMB_STOP;
}

/* Loads and stores of several registers; the list may hold LR and PC. */
static void store_list(struct thumb *out, unsigned base, uint32_t list)
{
    out->reads |= (uint16_t)list;
    out->is_lr_saved = base == THUMB_SP && (list >> THUMB_LR & 1) != 0;
}

static void load_list(struct thumb *out, unsigned base, uint32_t list)
{
    out->writes |= (uint16_t)list;
    out->is_restoring = base == THUMB_SP;
    if (list >> THUMB_PC & 1)
        go_through(out, THUMB_JUMP, THUMB_NO_REGISTER);
}

/* 16 bits */

static void shift_left(struct thumb *out, uint32_t code)
{
    if (field(code, 6, 5) == 0) /* by nothing: MOVS */
        make(out, THUMB_COPY, field(code, 0, 3), field(code, 3, 3));
}

static void move_immediate(struct thumb *out, uint32_t code)
{
    make(out, THUMB_VALUE, field(code, 8, 3), field(code, 0, 8));
}

static unsigned high_destination(uint32_t code)
{
    return field(code, 7, 1) << 3 | field(code, 0, 3);
}

/* To PC it is a jump, within the function: of a table. */
static void to_high(struct thumb *out, uint32_t code, enum thumb_make how)
{
    unsigned to = high_destination(code), from = field(code, 3, 4);

    if (to == THUMB_PC)
        go_through(out, THUMB_JUMP, THUMB_NO_REGISTER);
    else if (how == THUMB_COPY && from != THUMB_PC)
        make(out, THUMB_COPY, to, from);
    else if (how == THUMB_ADD_PC && from == THUMB_PC)
        make(out, THUMB_ADD_PC, to, out->address + 4);
}

static void add_high(struct thumb *out, uint32_t code)
{
    to_high(out, code, THUMB_ADD_PC);
}

static void move_high(struct thumb *out, uint32_t code)
{
    to_high(out, code, THUMB_COPY);
}

static void branch_exchange(struct thumb *out, uint32_t code)
{
    go_through(out, field(code, 7, 1) ? THUMB_CALL : THUMB_JUMP,
               field(code, 3, 4));
}

static void load_literal(struct thumb *out, uint32_t code)
{
    make(out, THUMB_LITERAL, field(code, 8, 3),
         literal_base(out) + 4 * field(code, 0, 8));
}

static void compare_branch(struct thumb *out, uint32_t code)
{
    go(out, THUMB_BRANCH, field(code, 9, 1) << 6 | field(code, 3, 5) << 1);
}

static void push(struct thumb *out, uint32_t code)
{
    store_list(out, THUMB_SP,
               field(code, 0, 8) | field(code, 8, 1) << THUMB_LR);
}

static void pop(struct thumb *out, uint32_t code)
{
    load_list(out, THUMB_SP, field(code, 0, 8) | field(code, 8, 1) << THUMB_PC);
}

static void if_then(struct thumb *out, uint32_t code)
{
    unsigned mask = field(code, 0, 4);

    if (mask == 0) /* a hint: NOP, WFI */
        return;
    for (out->conditional = 4; mask % 2 == 0; mask /= 2)
        out->conditional--;
}

static void store_low(struct thumb *out, uint32_t code)
{
    store_list(out, field(code, 8, 3), field(code, 0, 8));
}

static void load_low(struct thumb *out, uint32_t code)
{
    load_list(out, field(code, 8, 3), field(code, 0, 8));
}

static void branch_narrow(struct thumb *out, uint32_t code)
{
    go(out, THUMB_BRANCH, sign_extend(field(code, 0, 8) << 1, 9));
}

static void jump_narrow(struct thumb *out, uint32_t code)
{
    go(out, THUMB_JUMP, sign_extend(field(code, 0, 11) << 1, 12));
}

static const struct row narrow_rows[] = {
        {0xF800, 0x0000, W_0 | R_3, shift_left},
        {0xFC00, 0x1800, W_0 | R_3 | R_6, NULL}, /* ADD, SUB register */
        {0xE000, 0x0000, W_0 | R_3, NULL},       /* shifts; ADD, SUB imm3 */
        {0xF800, 0x2000, W_8, move_immediate},
        {0xF800, 0x2800, R_8, NULL},       /* CMP */
        {0xE000, 0x2000, W_8 | R_8, NULL}, /* ADD, SUB imm8 */
        {0xFFC0, 0x4200, R_0 | R_3, NULL}, /* TST */
        {0xFF80, 0x4280, R_0 | R_3, NULL}, /* CMP, CMN */
        {0xFFC0, 0x4240, W_0 | R_3, NULL}, /* RSB */
        {0xFFC0, 0x43C0, W_0 | R_3, NULL}, /* MVN */
        {0xFC00, 0x4000, W_0 | R_0 | R_3, NULL},
        {0xFF00, 0x4400, W_HIGHD | R_HIGHD | R_HIGH, add_high},
        {0xFF00, 0x4500, R_HIGHD | R_HIGH, NULL}, /* CMP */
        {0xFF00, 0x4600, W_HIGHD | R_HIGH, move_high},
        {0xFF00, 0x4700, R_HIGH, branch_exchange},
        {0xF800, 0x4800, W_8, load_literal},
        {0xFE00, 0x5600, W_0 | R_3 | R_6, NULL}, /* LDRSB */
        {0xF800, 0x5000, R_0 | R_3 | R_6, NULL}, /* STR, STRH, STRB */
        {0xF000, 0x5000, W_0 | R_3 | R_6, NULL}, /* loads */
        {0xF800, 0x9000, R_8, NULL},             /* STR to the stack */
        {0xF800, 0x9800, W_8, NULL},
        {0xF000, 0xA000, W_8, NULL}, /* ADR, ADD SP */
        {0xF500, 0xB100, R_0, compare_branch},
        {0xFF00, 0xB000, 0, NULL},         /* ADD, SUB SP */
        {0xFF00, 0xB200, W_0 | R_3, NULL}, /* extensions */
        {0xFE00, 0xB400, 0, push},
        {0xFE00, 0xB600, 0, NULL},         /* CPS */
        {0xFF00, 0xBA00, W_0 | R_3, NULL}, /* REV */
        {0xFE00, 0xBC00, 0, pop},
        {0xFF00, 0xBE00, 0, NULL}, /* BKPT */
        {0xFF00, 0xBF00, 0, if_then},
        {0xF000, 0xB000, 0, stop},
        {0xF800, 0xC000, R_8 | W_8, store_low},
        {0xF800, 0xC800, R_8 | W_8, load_low},
        {0xFF00, 0xDE00, 0, stop}, /* UDF */
        {0xFF00, 0xDF00, 0, NULL}, /* SVC */
        {0xF000, 0xD000, 0, branch_narrow},
        {0xF800, 0xE000, 0, jump_narrow},
        {0x0800, 0x0000, R_0 | R_3, NULL}, /* 6000-8FFF: stores */
        {0x0000, 0x0000, W_0 | R_3, NULL}, /* and loads */
};

static void narrow_registers(struct thumb *out, unsigned which, uint32_t code)
{
    static const struct {
        unsigned bit, low;
    } reads[] = {{R_0, 0}, {R_3, 3}, {R_6, 6}, {R_8, 8}},
      writes[] = {{W_0, 0}, {W_8, 8}};

    for (size_t i = 0; i < sizeof reads / sizeof reads[0]; i++)
        if (which & reads[i].bit)
            out->reads |= (uint16_t)(1U << field(code, reads[i].low, 3));
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++)
        if (which & writes[i].bit)
            out->writes |= (uint16_t)(1U << field(code, writes[i].low, 3));
    if (which & R_HIGH)
        out->reads |= (uint16_t)(1U << field(code, 3, 4));
    if (which & R_HIGHD)
        out->reads |= (uint16_t)(1U << high_destination(code));
    if (which & W_HIGHD)
        out->writes |= (uint16_t)(1U << high_destination(code));
}

/* 32 bits */

static void multiple(struct thumb *out, uint32_t code)
{
    unsigned base = field(code, 16, 4);

    if (field(code, 20, 1))
        load_list(out, base, field(code, 0, 16));
    else
        store_list(out, base, field(code, 0, 16));
    if (field(code, 21, 1))
        out->writes |= (uint16_t)(1U << base);
}

static void table_branch(struct thumb *out, uint32_t code)
{
    (void)code;
    go_through(out, THUMB_JUMP, THUMB_NO_REGISTER);
}

static void double_word(struct thumb *out, uint32_t code)
{
    unsigned base = field(code, 16, 4);
    uint16_t pair =
            (uint16_t)(1U << field(code, 12, 4) | 1U << field(code, 8, 4));

    if (field(code, 20, 1))
        load_list(out, base, pair);
    else
        store_list(out, base, pair);
    if (field(code, 21, 1))
        out->writes |= (uint16_t)(1U << base);
}

/* To and from coprocessors, the floating point unit among them. */
static void coprocessor_base(struct thumb *out, uint32_t code)
{
    if (field(code, 21, 1))
        out->writes |= (uint16_t)(1U << field(code, 16, 4));
}

static uint32_t immediate16(uint32_t code)
{
    return field(code, 16, 4) << 12 | field(code, 26, 1) << 11
           | field(code, 12, 3) << 8 | field(code, 0, 8);
}

static void move_wide(struct thumb *out, uint32_t code)
{
    make(out, THUMB_VALUE, field(code, 8, 4), immediate16(code));
}

static void move_top(struct thumb *out, uint32_t code)
{
    make(out, THUMB_TOP, field(code, 8, 4), immediate16(code) << 16);
}

static void move_register(struct thumb *out, uint32_t code)
{
    if ((code & 0xFFEFF0F0) == 0xEA4F0000)
        make(out, THUMB_COPY, field(code, 8, 4), field(code, 0, 4));
}

/* I1 is NOT(J1 EOR S), as is I2 of J2. */
static uint32_t far_distance(uint32_t code)
{
    uint32_t sign = field(code, 26, 1);
    uint32_t i1 = 1 ^ field(code, 13, 1) ^ sign;
    uint32_t i2 = 1 ^ field(code, 11, 1) ^ sign;

    return sign_extend(sign << 24 | i1 << 23 | i2 << 22
                               | field(code, 16, 10) << 12
                               | field(code, 0, 11) << 1,
                       25);
}

static void call_far(struct thumb *out, uint32_t code)
{
    go(out, THUMB_CALL, far_distance(code));
}

static void jump_far(struct thumb *out, uint32_t code)
{
    go(out, THUMB_JUMP, far_distance(code));
}

static void branch_wide(struct thumb *out, uint32_t code)
{
    go(out, THUMB_BRANCH,
       sign_extend(field(code, 26, 1) << 20 | field(code, 11, 1) << 19
                           | field(code, 13, 1) << 18 | field(code, 16, 6) << 12
                           | field(code, 0, 11) << 1,
                   21));
}

/* WLS and LE count in LR. */
static uint32_t loop_distance(uint32_t code)
{
    return field(code, 1, 10) << 2 | field(code, 11, 1) << 1;
}

static void loop_begin(struct thumb *out, uint32_t code)
{
    out->writes |= 1U << THUMB_LR;
    if (field(code, 12, 4) == 0xC)
        go(out, THUMB_BRANCH, loop_distance(code));
}

static void loop_end(struct thumb *out, uint32_t code)
{
    out->reads |= 1U << THUMB_LR;
    out->writes |= 1U << THUMB_LR;
    go(out, THUMB_BRANCH, 0 - loop_distance(code));
}

static bool has_write_back(uint32_t code)
{
    return field(code, 23, 1) == 0 && field(code, 11, 1) && field(code, 8, 1);
}

/* The last field names an index register where all between is 0. */
static void single_address(struct thumb *out, uint32_t code)
{
    unsigned base = field(code, 16, 4);

    if (base == THUMB_PC)
        return;
    if (field(code, 23, 1) == 0 && field(code, 6, 6) == 0)
        out->reads |= (uint16_t)(1U << field(code, 0, 4));
    if (has_write_back(code))
        out->writes |= (uint16_t)(1U << base);
}

static void store_single(struct thumb *out, uint32_t code)
{
    single_address(out, code);
    out->is_lr_saved =
            field(code, 16, 4) == THUMB_SP && field(code, 12, 4) == THUMB_LR;
}

static void load_single(struct thumb *out, uint32_t code)
{
    unsigned base = field(code, 16, 4), to = field(code, 12, 4);
    uint32_t distance = field(code, 0, 12);

    single_address(out, code);
    out->is_restoring = base == THUMB_SP;
    if (field(code, 21, 2) != 2) /* of less than a word */
        return;
    if (to == THUMB_PC)
        go_through(out, THUMB_JUMP, THUMB_NO_REGISTER);
    if (base == THUMB_PC)
        make(out, THUMB_LITERAL, to,
             field(code, 23, 1) ? literal_base(out) + distance
                                : literal_base(out) - distance);
}

static const struct row wide_rows[] = {
        {0xFFFFFFFF, 0xE97FE97F, 0, NULL}, /* SG */
        {0xFE400000, 0xE8000000, R_N, multiple},
        {0xFFF0FFE0, 0xE8D0F000, R_N | R_M, table_branch},
        {0xFFF00000, 0xE8400000, R_N | R_T | W_D, NULL}, /* STREX, TT */
        {0xFFF00000, 0xE8500000, R_N | W_T, NULL},       /* LDREX */
        {0xFFF00000, 0xE8C00000, R_N | R_T | W_M, NULL}, /* STREXB, STL */
        {0xFFF00000, 0xE8D00000, R_N | W_T, NULL},       /* LDREXB, LDA */
        {0xFE400000, 0xE8400000, R_N, double_word},
        {0xFE000000, 0xEA000000, R_N | R_M | W_D, move_register},
        {0xFFF00000, 0xEC400000, R_N | R_T, NULL}, /* MCRR, VMOV */
        {0xFFF00000, 0xEC500000, W_N | W_T, NULL}, /* MRRC, VMOV */
        {0xFE000000, 0xEC000000, R_N, coprocessor_base},
        {0xFF100010, 0xEE000010, R_T, NULL}, /* MCR, VMOV */
        {0xFF100010, 0xEE100010, W_T, NULL}, /* MRC, VMOV */
        {0xEC000000, 0xEC000000, 0, NULL},
        {0xFBF08000, 0xF2400000, W_D, move_wide},
        {0xFBF08000, 0xF2C00000, R_D | W_D, move_top},
        {0xFFF08000, 0xF3600000, R_N | R_D | W_D, NULL}, /* BFI */
        {0xF8008000, 0xF0000000, R_N | W_D, NULL},
        {0xF800D000, 0xF000D000, 0, call_far},
        {0xF800D000, 0xF0009000, 0, jump_far},
        {0xFFF0F001, 0xF040E001, R_N, loop_begin}, /* DLS */
        {0xFFF0F001, 0xF040C001, R_N, loop_begin}, /* WLS */
        {0xFFDFF001, 0xF00FC001, 0, loop_end},
        {0xFFE0D000, 0xF3808000, R_N, NULL}, /* MSR */
        {0xFFE0D000, 0xF3E08000, W_D, NULL}, /* MRS */
        {0xFBC0D000, 0xF3808000, 0, NULL},   /* hints, barriers */
        {0xFB80D000, 0xF3808000, 0, stop},   /* UDF, and no conditions */
        {0xF800D000, 0xF0008000, 0, branch_wide},
        {0xF8008000, 0xF0008000, 0, stop},
        {0xFE100000, 0xF8000000, R_N | R_T, store_single},
        {0xFE100000, 0xF8100000, R_N | W_T, load_single},
        {0xFF000000, 0xFA000000, R_N | R_M | W_D, NULL},
        {0xFF800000, 0xFB000000, R_N | R_M | R_T | W_D, NULL}, /* MUL, MLA */
        {0xFFC00000, 0xFBC00000, R_N | R_M | R_T | R_D | W_T | W_D, NULL},
        {0xFF800000, 0xFB800000, R_N | R_M | W_T | W_D, NULL},
        {0x00000000, 0x00000000, 0, stop},
};

static void wide_registers(struct thumb *out, unsigned which, uint32_t code)
{
    static const unsigned lows[] = {16, 12, 8, 0};

    for (unsigned i = 0; i < 4; i++) {
        uint16_t bit = (uint16_t)(1U << field(code, lows[i], 4));

        if (which & (unsigned)R_N << i)
            out->reads |= bit;
        if (which & (unsigned)W_N << i)
            out->writes |= bit;
    }
}

static const struct row *find_row(const struct row *row, uint32_t code)
{
    while ((code & row->mask) != row->is)
        row++;
    return row;
}

void thumb_decode(struct thumb *out, uint32_t address, const uint8_t *bytes,
                  size_t size)
{
    uint32_t code = (uint32_t)(bytes[0] | bytes[1] << 8);
    const struct row *row;

    *out = (struct thumb){
            .address = address, .size = 2, .through = THUMB_NO_REGISTER};
    if (code >> 11 < 0x1D) {
        row = find_row(narrow_rows, code);
        narrow_registers(out, row->registers, code);
    } else if (size < 4) {
        return;
    } else {
        out->size = 4;
        code = code << 16 | (uint32_t)(bytes[2] | bytes[3] << 8);
        row = find_row(wide_rows, code);
        wide_registers(out, row->registers, code);
    }
    if (row->finish != NULL)
        row->finish(out, code);
    /* Not as a name for "no register" or for literals' base. */
    out->reads &= (uint16_t) ~(1U << THUMB_PC);
    out->writes &= (uint16_t) ~(1U << THUMB_PC);
}
