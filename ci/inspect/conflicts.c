/* The text of the bank conflicts in LDS that a launch had. */
#include "conflicts.h"

#include <inttypes.h>
#include <stdio.h>

/* Whether two instructions have one opcode, and their accesses cost the same on average. */
static bool is_alike(const struct mx_bank_use *a, const struct mx_bank_use *b) {
	return b->accesses && a->op == b->op && a->cycles * b->accesses == b->cycles * a->accesses;
}

static bool is_first(const struct mx_stats *s, const struct mx_bank_use *u) {
	const struct mx_bank_use *v = s->banks;
	while (v < u && !is_alike(u, v))
		v++;
	return v == u;
}

static size_t put_pattern(const struct mx_report *r, const struct mx_bank_use *u, char *text,
                          size_t room) {
	const struct mx_stats *s = &r->stats;
	uint64_t accesses = 0, instructions = 0;
	char pc[MX_PC_TEXT];
	for (const struct mx_bank_use *v = u; v < s->banks + s->n_banks; v++)
		if (is_alike(u, v)) {
			accesses += v->accesses;
			instructions++;
		}
	return (size_t)snprintf(text, room,
	                        "LDS: %" PRIu64 " %s, %.2f conflict cycles each (%" PRIu64
	                        " in the code, first %s)\n",
	                        accesses, mx_op_name(r->isa, u->op),
	                        (double)u->cycles / (double)u->accesses, instructions,
	                        mx_pc_text(u->pc, pc));
}

void mx_conflicts_text(const struct mx_report *r, char *text, size_t room) {
	const struct mx_stats *s = &r->stats;
	size_t n = 0;
	text[0] = 0;
	for (const struct mx_bank_use *u = s->banks; u < s->banks + s->n_banks && n < room; u++)
		if (u->accesses && is_first(s, u))
			n += put_pattern(r, u, text + n, room - n);
}
