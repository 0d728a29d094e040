/* Liveness, by a search along all paths.
 *
 * A write by lanes of EXEC overwrites a vector register where EXEC has not lost lanes on the path;
 * an instruction that adds lanes to EXEC is taken to restore it, as at the end of compiled
 * branches. */
#include "liveness.h"

#include <string.h>

#include "race.h"

enum { LONGEST = 1024 }; /* instructions of all paths */

struct place {
	uint32_t pc;
	bool full; /* EXEC has at least the lanes that matter */
};

/* Places that were found, of which the first `done` have been looked at. */
struct search {
	const struct mx_program *p;
	unsigned row;
	struct place place[LONGEST];
	unsigned done, n;
	bool unknown;
	uint64_t seen[16]; /* hashes */
};

static bool begins(const struct mx_inst *in, const char *prefix) {
	return !strncmp(in->op->name, prefix, strlen(prefix));
}

static void go(struct search *s, uint32_t pc, bool full) {
	uint64_t bit = 1ull << pc / 4 % 64, *seen = &s->seen[pc / 256 % 8 + 8 * full];
	for (unsigned i = 0; *seen & bit && i < s->n; i++)
		if (s->place[i].pc == pc && s->place[i].full == full)
			return;
	*seen |= bit;
	if (s->n == LONGEST)
		s->unknown = true;
	else
		s->place[s->n++] = (struct place){ pc, full };
}

/* ---- one instruction ---- */

static bool has_row(const struct mx_order_use *u, unsigned i, unsigned row) {
	return row >= u->range[i].row && row < u->range[i].row + u->range[i].n;
}

static bool reads_scc(const struct mx_inst *in) {
	bool source = false;
	for (unsigned i = 0; i < 3; i++)
		source |= in->op->s[i] && in->src[i] == MX_SCC;
	return source || in->op->flags & MX_SCC_IN || begins(in, "s_cbranch_scc");
}

static bool reads(const struct search *s, const struct mx_inst *in, const struct mx_order_use *u) {
	if (s->row == MX_LIVE_SCC)
		return reads_scc(in);
	for (unsigned i = 0; i < u->n; i++)
		if (!u->range[i].write && has_row(u, i, s->row))
			return true;
	return false;
}

static bool is_partial(const struct mx_inst *in) {
	const uint64_t half = MX_D16 | MX_D16_HI | MX_KEEP_HALF | MX_HALF_UNKNOWN;
	return in->dpp.used || in->sdwa.used || in->op->flags & half;
}

static bool overwrites(const struct search *s, const struct mx_inst *in,
                       const struct mx_order_use *u, bool full) {
	if (s->row == MX_LIVE_SCC)
		return in->op->flags & MX_SCC_OUT;
	if (is_partial(in) || begins(in, "s_cmov"))
		return false;
	for (unsigned i = 0; i < u->n; i++) {
		bool lanes = u->range[i].lanes == MX_LANES_ALL ||
		             (u->range[i].lanes == MX_LANES_OF_EXEC && full);
		if (u->range[i].write && has_row(u, i, s->row) && lanes)
			return true;
	}
	return false;
}

/* Whether EXEC has the lanes that matter after it. */
static bool is_full(const struct mx_inst *in, const struct mx_order_use *u, bool full) {
	bool changes = in->op->flags & MX_EXEC_OUT || begins(in, "v_cmpx");
	for (unsigned i = 0; i < u->n; i++)
		changes |= u->range[i].write && has_row(u, i, MX_VGPR_FILE + MX_EXEC);
	if (!changes)
		return full;
	return begins(in, "s_or_") || (begins(in, "s_mov_b64") && in->src[0] == MX_INT_NEG_1);
}

/* Where control may go to places that are not in the instruction, or registers are not named. */
static bool is_unknown(const struct mx_inst *in) {
	static const char *const those[] = { "s_setpc",        "s_swappc",      "s_call",
		                             "s_rfe",          "s_cbranch_g",   "s_cbranch_i",
		                             "s_cbranch_join", "s_set_gpr_idx", "s_setvskip" };
	for (unsigned i = 0; i < sizeof those / sizeof *those; i++)
		if (begins(in, those[i]))
			return true;
	return strstr(in->op->name, "movrel");
}

static void follow(struct search *s, const struct mx_inst *in, bool full) {
	bool branch = in->op->encoding == MX_SOPP && begins(in, "s_branch");
	if (begins(in, "s_endpgm"))
		return;
	if (!branch)
		go(s, in->offset + in->size, full);
	if (branch || (in->op->encoding == MX_SOPP && begins(in, "s_cbranch")))
		go(s, in->offset + 4 + 4 * (uint32_t)in->imm, full);
}

bool mx_is_live(const struct mx_program *p, uint32_t pc, unsigned row, bool in_exec) {
	struct search s = { .p = p, .row = row, .n = 0 };
	go(&s, pc, in_exec);
	while (s.done < s.n && !s.unknown) {
		struct place at = s.place[s.done++];
		const struct mx_inst *in = mx_program_at(p, at.pc);
		struct mx_order_use u = { 0 };
		if (!in || !in->op || is_unknown(in))
			return true;
		mx_order_find_uses(in, &u);
		if (reads(&s, in, &u))
			return true;
		if (!overwrites(&s, in, &u, at.full))
			follow(&s, in, is_full(in, &u, at.full));
	}
	return s.unknown;
}
