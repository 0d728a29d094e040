/* The table of hazards, and whether there are enough wait states between two instructions. */
#include "hazard.h"

#include <pthread.h>

#include "../machine/findings.h"

typedef enum {
	ANY,
	OVERLAP,
	PARTIAL,
	SAME,
	SAME_PASSES,
	OTHER_PASSES,
	SAME_OPCODE,
	OTHER_OPCODE,
	IN_CLAUSE
} condition;

struct row {
	uint8_t set;            /* mx_hazard_set */
	uint64_t first, second; /* classes */
	uint8_t first_operand, second_operand, condition, states[4];
	uint8_t tolerated; /* missing states with which it is a note */
	const char *source;
};

/* The evidence of a row. */
enum { SEEN = 0, REQUIRED = 0, BROKEN = UINT8_MAX, SINGLE = UINT8_MAX };
#define BROKEN_BY(n) n

static const struct row rows[] = {
#define MX_ROW(set, one, one_operand, two, two_operand, condition, s2, s4, s8, s16, evidence,      \
               source)                                                                             \
	{ MX_HAZARDS_##set,                                                                        \
	  1ull << MX_CLASS_##one,                                                                  \
	  1ull << MX_CLASS_##two,                                                                  \
	  MX_OPERAND_##one_operand,                                                                \
	  MX_OPERAND_##two_operand,                                                                \
	  condition,                                                                               \
	  { s2, s4, s8, s16 },                                                                     \
	  evidence,                                                                                \
	  source },
#define MX_HAZARD(...) MX_ROW(__VA_ARGS__)
#include "hazards.def"
#undef MX_HAZARD
#undef MX_ROW
};

enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= 128, "traits have a bit for each row");

/* ---- traits ---- */

static unsigned states_after(const struct row *r, unsigned passes) {
	return r->states[passes == 16 ? 3 : passes == 8 ? 2 : passes == 4 ? 1 : 0];
}

enum { CLASSES = 64, OPERANDS = MX_OPERAND_NONE + 1, SETS = MX_HAZARDS_GFX1250 + 1, PARTS = 2 };

/* The rows that have a class or an operand on one of their sides, a bit each. */
struct side {
	uint64_t of_class[CLASSES], of_operand[OPERANDS];
};

/* The same for each part of the bits in traits, because a comparison with every row takes most of
 * the time of short launches. */
static struct {
	uint64_t set[SETS];
	struct side first, second;
} parts[PARTS];

static void make_parts(void) {
	for (unsigned i = 0; i < ROWS; i++) {
		const struct row *r = &rows[i];
		uint64_t bit = 1ull << i % 64;
		parts[i / 64].set[r->set] |= bit;
		parts[i / 64].first.of_class[__builtin_ctzll(r->first)] |= bit;
		parts[i / 64].first.of_operand[r->first_operand] |= bit;
		parts[i / 64].second.of_class[__builtin_ctzll(r->second)] |= bit;
		parts[i / 64].second.of_operand[r->second_operand] |= bit;
	}
}

/* The rows that have one of the classes and one of the operands on this side. */
static uint64_t rows_that_fit(const struct side *side, uint64_t classes, uint32_t operands) {
	uint64_t by_class = 0, by_operand = 0;
	for (; classes; classes &= classes - 1)
		by_class |= side->of_class[__builtin_ctzll(classes)];
	for (; operands; operands &= operands - 1)
		by_operand |= side->of_operand[__builtin_ctz(operands)];
	return by_class & by_operand;
}

/* As the first instruction: only rows that require states after this many passes. */
static void match_first(struct mx_hazard_traits *f, unsigned part, uint64_t fit) {
	for (; fit; fit &= fit - 1) {
		unsigned states =
			states_after(&rows[64 * part + (unsigned)__builtin_ctzll(fit)], f->passes);
		f->first[part] |= states ? fit & -fit : 0;
		f->reach = states > f->reach ? (uint8_t)states : f->reach;
	}
}

void mx_traits_match(struct mx_hazard_traits *f, mx_hazard_set set) {
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint32_t operands = 1u << MX_OPERAND_NONE;
	pthread_once(&once, make_parts);
	for (unsigned i = 0; i < f->n; i++)
		operands |= 1u << f->range[i].operand;
	for (unsigned i = 0; i < PARTS; i++) {
		uint64_t rows = parts[i].set[set];
		match_first(f, i, rows & rows_that_fit(&parts[i].first, f->classes, operands));
		f->second[i] |= rows & rows_that_fit(&parts[i].second, f->classes, operands);
		f->follows |= f->second[i] != 0;
	}
	if (f->classes & MX_CLAUSES)
		f->reach = MX_HAZARD_HORIZON;
}

/* ---- two instructions ---- */

static bool overlap(const struct mx_hazard_range *a, const struct mx_hazard_range *b) {
	return a->code < b->code + b->n && b->code < a->code + a->n;
}

static bool operands_match(const struct row *r, const struct mx_hazard_traits *first,
                           const struct mx_hazard_traits *second, const struct mx_hazard_range *a,
                           const struct mx_hazard_range *b) {
	bool same = a->code == b->code && a->n == b->n;
	if (!overlap(a, b))
		return false;
	switch (r->condition) {
	case PARTIAL: return !same;
	case SAME: return same;
	case SAME_PASSES: return same && first->passes == second->passes;
	case OTHER_PASSES: return same && first->passes != second->passes;
	case SAME_OPCODE: return first->in->op == second->in->op;
	case OTHER_OPCODE: return first->in->op != second->in->op;
	default: return true;
	}
}

static bool applies(const struct row *r, const struct mx_hazard_traits *first,
                    const struct mx_hazard_traits *second) {
	if (r->condition == ANY)
		return true;
	for (unsigned i = 0; i < first->n; i++)
		for (unsigned j = 0; first->range[i].operand == r->first_operand && j < second->n;
		     j++)
			if (second->range[j].operand == r->second_operand &&
			    operands_match(r, first, second, &first->range[i], &second->range[j]))
				return true;
	return false;
}

unsigned mx_hazard_row(size_t row, const struct mx_hazard_traits *first,
                       const struct mx_hazard_traits *second) {
	uint64_t fits = first->first[row / 64] & second->second[row / 64];
	return fits >> row % 64 & 1 && applies(&rows[row], first, second)
	               ? states_after(&rows[row], first->passes)
	               : 0;
}

/* The action of the second instruction, in words before and after the first one's name. */
struct words {
	const char *does, *how;
};

static struct words words_of(const struct row *r) {
	static const struct words words[] = {
		[MX_OPERAND_D] = { "overwrites the result of", "" },
		[MX_OPERAND_S] = { "overwrites the scalar result of", "" },
		[MX_OPERAND_V] = { "reads the result of", "" },
		[MX_OPERAND_P] = { "reads the result of", " from other lanes" },
		[MX_OPERAND_AB] = { "reads the result of", " as A or B" },
		[MX_OPERAND_C] = { "reads the result of", " as C" },
		[MX_OPERAND_DATA] = { "stores the result of", "" },
		[MX_OPERAND_K] = { "reads the scalar result of", "" },
		[MX_OPERAND_MASK] = { "reads the scalar result of", " as a mask" },
		[MX_OPERAND_LANE] = { "selects a lane by the scalar result of", "" },
		[MX_OPERAND_ZERO] = { "tests the scalar result of", " for zero" },
		[MX_OPERAND_HW] = { "uses the same hardware register as", "" },
		[MX_OPERAND_NONE] = { "follows too soon after", ", whatever its operands" },
	};
	if (r->condition == IN_CLAUSE)
		return (struct words){ "overwrites a register that is read in its clause by", "" };
	if (r->first_operand == MX_OPERAND_C)
		return (struct words){ "overwrites C of", ", which still reads it" };
	if (r->first_operand == MX_OPERAND_AB)
		return (struct words){ "overwrites A or B of", "" };
	if (r->first_operand == MX_OPERAND_V)
		return (struct words){ "overwrites a source of", "" };
	if (r->first_operand == MX_OPERAND_DATA)
		return (struct words){ "overwrites data that is being stored by", "" };
	return words[r->second_operand];
}

static mx_hazard_severity severity_of(const struct row *r, unsigned needed, unsigned states) {
	bool note = r->tolerated == UINT8_MAX || (states && needed - states <= r->tolerated);
	return note ? MX_HAZARD_NOTE : MX_HAZARD_FINDING;
}

static bool is_worse(const struct mx_hazard *a, const struct mx_hazard *b) {
	return a->severity != b->severity ? a->severity > b->severity : a->needed > b->needed;
}

static bool find(const struct mx_hazard_traits *first, const struct mx_hazard_traits *second,
                 const struct mx_distance *d, unsigned states, struct mx_hazard *h) {
	bool found = false;
	for (unsigned part = 0; part < 2; part++)
		for (uint64_t m = first->first[part] & second->second[part]; m; m &= m - 1) {
			size_t row = 64 * part + (unsigned)__builtin_ctzll(m);
			const struct row *r = &rows[row];
			unsigned needed = states_after(r, first->passes);
			bool enough = r->condition == IN_CLAUSE ? d->breaks != 0 : needed <= states;
			if (enough || !mx_hazard_row(row, first, second))
				continue;
			struct words words = words_of(r);
			struct mx_hazard one = { .severity = severity_of(r, needed, states),
				                 .needed = needed,
				                 .states = states,
				                 .in_clause = r->condition == IN_CLAUSE,
				                 .does = words.does,
				                 .how = words.how,
				                 .source = r->source };
			if (!found || is_worse(&one, h))
				*h = one;
			found = true;
		}
	return found;
}

static bool hazard_at(const struct mx_hazard_traits *first, const struct mx_hazard_traits *second,
                      const struct mx_distance *d, struct mx_hazard *h) {
	struct mx_hazard busy;
	if (!find(first, second, d, d->states - first->states, h))
		return false;
	h->pipe_helps = h->severity == MX_HAZARD_FINDING &&
	                !(find(first, second, d, d->busy - first->states, &busy) &&
	                  busy.severity == MX_HAZARD_FINDING);
	if (h->pipe_helps)
		h->severity = MX_HAZARD_NOTE;
	return true;
}

const struct mx_hazard_rules mx_gfx950_hazards = {
	.traits = mx_gfx950_traits,
	.hazard_at = hazard_at,
	.most = 5,        /* [CDNA4 ISA 4.5, table 11] */
	.most_matrix = 4, /* [CDNA4 ISA 7.6, table 38] */
};
const struct mx_hazard_rules mx_gfx1250_hazards = {
	.traits = mx_gfx1250_traits,
	.hazard_at = hazard_at,
	.nop = "v_nop",
	.nop_id = MX_OP_v_nop,
	.most = 2,
	.most_matrix = 9,
	.reads_late = true,
};

bool mx_is_single_nop(const struct mx_hazard_rules *rules, const struct mx_inst *in) {
	return rules && rules->nop && in->op->id == rules->nop_id;
}

struct mx_finding mx_hazard_finding(const struct mx_hazard *h, const struct mx_inst *first,
                                    const struct mx_inst *second) {
	bool finding = h->severity == MX_HAZARD_FINDING;
	return (struct mx_finding){
		.kind = finding ? MX_WAIT_STATES : MX_WAIT_STATES_NOTE,
		.lane = -1,
		.code = mx_inst_dwords_of(second),
		.earlier_code = mx_inst_dwords_of(first),
		.hazard = *h,
		.missing = { .kind = MX_MISSING_WAIT_STATES, .count = mx_hazard_lacks(h) },
	};
}
