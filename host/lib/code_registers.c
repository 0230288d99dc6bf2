/* SPDX-License-Identifier: MIT */
#include "code_registers.h"

/* What a call may change: r0 to r3, r12, LR (AAPCS, 6.1.1). */
#define CALL_CLOBBERS 0x500Fu

void code_registers_begin(struct code_registers *registers, size_t function,
                          const uint8_t sets[8])
{
    if (registers->has_function && registers->function == function)
        return;
    registers->has_function = true;
    registers->function = function;
    registers->known = 0;
    registers->steady = 0;
    registers->conditional = 0;
    for (unsigned i = 0; i < 8; i++)
        if (sets[i] == 1)
            registers->steady |= (uint16_t)(1U << (4 + i));
}

void code_registers_join(struct code_registers *registers)
{
    registers->known &= registers->steady;
}

/* The value that THUMB makes; false if it is not known. */
static bool made_value(const struct code_registers *registers,
                       const struct thumb *thumb, uint32_t *out)
{
    uint32_t old = registers->values[thumb->made & 15];
    bool is_known = (registers->known >> thumb->made & 1) != 0;

    switch (thumb->make) {
    case THUMB_LITERAL:
        return image_read_word(registers->image, thumb->value, out) == 0;
    case THUMB_VALUE:
        *out = thumb->value;
        return true;
    case THUMB_TOP:
        *out = thumb->value | (old & 0xFFFF);
        return is_known;
    case THUMB_COPY:
        *out = registers->values[thumb->value & 15];
        return (registers->known >> thumb->value & 1) != 0;
    case THUMB_ADD_PC:
        *out = old + thumb->value;
        return is_known;
    case THUMB_UNKNOWN:
        break;
    }
    return false;
}

void code_registers_step(struct code_registers *registers,
                         const struct thumb *thumb)
{
    uint32_t value = 0;
    bool is_made = made_value(registers, thumb, &value);
    uint16_t lost = thumb->writes;
    bool is_conditional = registers->conditional > 0;

    if (is_conditional)
        registers->conditional--;
    else
        registers->conditional = thumb->conditional;
    /* An epilogue gives the caller's back: of no use from here on, but code
     * behind it is entered with what the function has set. */
    if (thumb->is_restoring)
        lost &= (uint16_t)~registers->steady;
    if (thumb->flow == THUMB_CALL)
        lost |= CALL_CLOBBERS;
    registers->known &= (uint16_t)~lost;
    if (is_made && !is_conditional) {
        registers->values[thumb->made] = value;
        registers->known |= (uint16_t)(1U << thumb->made);
    }
    if ((thumb->flow == THUMB_JUMP || thumb->flow == THUMB_STOP)
        && !is_conditional)
        code_registers_join(registers);
}

bool code_registers_get(const struct code_registers *registers, unsigned name,
                        uint32_t *out)
{
    *out = registers->values[name & 15];
    return (registers->known >> name & 1) != 0;
}

bool code_registers_target(const struct code_registers *registers,
                           const struct thumb *thumb, uint32_t *out)
{
    uint32_t value;

    if (thumb->has_target) {
        *out = thumb->target;
        return true;
    }
    if (thumb->through < THUMB_NO_REGISTER)
        return code_registers_get(registers, thumb->through, out)
               && (*out &= ~1U, true);
    /* LDR.W pc, =target */
    if (thumb->flow == THUMB_JUMP && thumb->make == THUMB_LITERAL
        && image_read_word(registers->image, thumb->value, &value) == 0) {
        *out = value & ~1U;
        return true;
    }
    return false;
}
