/* The reference of a case: its buffers, and their sizes at a shape. */
#ifndef MX_CASES_REFERENCE_H
#define MX_CASES_REFERENCE_H

#include "scope.h"

/* Checks names, keys and types that do not depend on the shape. */
int reference_check(struct source *s, const struct mx_case *c, struct mx_error *err);

/* Evaluates the reference, and checks that the sizes of its buffers fit. */
int reference_make(const struct scope *s, struct mx_plan *p, struct mx_error *err);

/* The slot of buffer i in the reference; -1: none. */
int reference_slot_of(const struct mx_case *c, unsigned i);
bool reference_slot_is_output(mx_slot slot);

/* A slot of indices and counts that the kernel follows. */
bool reference_is_table(int slot);

/* Draws what a slot holds if it depends on the other slots, buffer i: fill_table.c. */
bool reference_draws_table(int slot);
int fill_table(const struct mx_plan *p, mx_slot slot, unsigned i, uint64_t seed, uint8_t *bytes,
               struct mx_error *err);

/* Fills buffer i by the regime and its type: fill_typed.c. */
void fill_typed(const struct mx_plan *p, unsigned i, uint64_t seed, uint8_t *bytes);

#endif
