/* Operands of inline assembly with any number of registers. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "../gfx950.h"

/* n registers. Inline assembly takes no vector of one element. */
#define VECTOR(n) u32 __attribute__((ext_vector_type(n)))
#define REGS(n)   __typeof__(__builtin_choose_expr((n) == 1, (u32)0, *(VECTOR(n) *)0))

#endif
