/* Findings that one wait, barrier or s_nop resolves. */
#include <stdio.h>

#include "../encoding/instruction_set.h"

/* Functions that a kernel calls may lie before it: their pcs are below zero. */
static bool precedes(uint64_t a, uint64_t b) {
	return (int64_t)a < (int64_t)b;
}

/* An instruction that is inserted between the two of a finding resolves it. Around the back edge of
 * a loop the earlier one has the higher pc; its end is a place for all of these. */
static bool wraps(const struct mx_finding *f) {
	return !precedes(f->earlier, f->pc);
}

/* Whether what is missing in `a`, at a common place, resolves `b`. */
static bool is_alike(const struct mx_finding *a, const struct mx_finding *b) {
	const struct mx_missing *m = &a->missing, *n = &b->missing;
	if (m->kind == MX_MISSING_NONE || a->kind != b->kind)
		return false;
	if (m->kind == MX_MISSING_WAIT_AND_BARRIER && n->kind == MX_MISSING_BARRIER)
		return wraps(a) == wraps(b);
	if (m->kind != n->kind)
		return false;
	if (m->kind == MX_MISSING_FLAG)
		return a->access.kind == b->access.kind &&
		       a->earlier_access.kind == b->earlier_access.kind;
	return m->counter == n->counter && m->barrier == n->barrier && wraps(a) == wraps(b) &&
	       a->hazard.in_clause == b->hazard.in_clause;
}

static bool place_is_free(const struct mx_finding *f) {
	return f->missing.kind == MX_MISSING_FLAG || f->missing.kind == MX_MISSING_WAIT_AT_BARRIER;
}

/* Adds a finding to a group if there is a place that resolves it, too. */
static bool join(struct mx_finding_group *g, const struct mx_finding *first,
                 const struct mx_finding *f) {
	uint64_t after = precedes(g->after, f->earlier) ? f->earlier : g->after;
	uint64_t before = precedes(f->pc, g->before) ? f->pc : g->before;
	if (!is_alike(first, f) || !(place_is_free(f) || wraps(f) || precedes(after, before)))
		return false;
	bool least = f->missing.kind != MX_MISSING_WAIT_STATES;
	if (least == (f->missing.count < g->missing.count))
		g->missing.count = f->missing.count;
	g->same_place &= f->pc == first->pc;
	g->after = after;
	g->before = before;
	g->others++;
	return true;
}

size_t mx_group_findings(const struct mx_finding *f, size_t n, struct mx_finding_group *groups) {
	size_t n_groups = 0;
	for (size_t i = 0; i < n; i++) {
		bool joined = false;
		for (size_t k = 0; k < n_groups && !joined; k++)
			joined = join(&groups[k], &f[groups[k].first], &f[i]);
		if (!joined)
			groups[n_groups++] = (struct mx_finding_group){ .first = i,
				                                        .missing = f[i].missing,
				                                        .after = f[i].earlier,
				                                        .before = f[i].pc,
				                                        .same_place = true };
	}
	return n_groups;
}

/* ---- text ---- */

static bool is_barrier(const struct mx_missing *m) {
	return m->kind == MX_MISSING_BARRIER || m->kind == MX_MISSING_WAIT_AND_BARRIER;
}

/* "before +0x40"; around a loop "after +0x80, before +0x40 in the next round". Two waves may also
 * meet so without a loop: the wave of the higher pc was ahead. */
static void put_place(const struct mx_finding_group *g, char *text, size_t room) {
	char after[MX_PC_TEXT], before[MX_PC_TEXT];
	mx_pc_text(g->after, after);
	mx_pc_text(g->before, before);
	if (precedes(g->after, g->before))
		snprintf(text, room, "before %s", before);
	else
		snprintf(text, room, "after %s, before %s in the next round%s", after, before,
		         is_barrier(&g->missing) ? " (if they are in a loop)" : "");
}

static void put_resolution(const struct mx_isa *isa, const struct mx_finding_group *g, char *text,
                           size_t room) {
	const struct mx_missing *m = &g->missing;
	const struct mx_isa_counter *c = &isa->counter[m->counter];
	const char *barrier = isa->barrier;
	char place[112], wait[40];
	snprintf(wait, sizeof wait, "%s%s%u%s", c->wait, c->open, m->count, c->close);
	put_place(g, place, sizeof place);
	switch (m->kind) {
	case MX_MISSING_WAIT:
		if (g->same_place)
			snprintf(text, room, "%s %s orders all", wait, place);
		else
			snprintf(text, room, "one %s %s orders all", c->wait, place);
		break;
	case MX_MISSING_WAIT_AT_BARRIER:
		snprintf(text, room, "%s before that %s orders all", wait, isa->arrival);
		break;
	case MX_MISSING_BARRIER:
		snprintf(text, room, "one %s %s orders all", barrier, place);
		break;
	case MX_MISSING_WAIT_AND_BARRIER:
		snprintf(text, room, "one %s and %s %s order all", c->wait, barrier, place);
		break;
	case MX_MISSING_WAIT_STATES:
		snprintf(text, room, "%u wait state%s %s are enough for all", m->count,
		         m->count == 1 ? "" : "s", place);
		break;
#define MX_ALU_COUNTER(id, name, low, width) case MX_MISSING_##id:
#include "../wait_alu.def"
#undef MX_ALU_COUNTER
		snprintf(text, room, "one s_wait_alu %s is enough for all", place);
		break;
	default: snprintf(text, room, "no order between workgroups either"); break;
	}
}

char *mx_group_text(const struct mx_isa *isa, const struct mx_finding_group *g, char *text,
                    size_t room) {
	char resolution[200];
	*text = 0;
	if (!g->others)
		return text;
	put_resolution(isa, g, resolution, sizeof resolution);
	snprintf(text, room, "; and %zu more: %s", g->others, resolution);
	return text;
}
