/* Findings: one for each kind, pc and cause, with a count; and notes of assumptions. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "findings.h"
#include "wave.h"

static const struct {
	const char *name;
	mx_finding_class class;
} kinds[] = {
#define MX_FINDING(id, class, name) { name, MX_FINDING_##class },
#include "../findings.def"
#undef MX_FINDING
};

const char *mx_finding_name(mx_finding_kind k) {
	return kinds[k].name;
}

mx_finding_class mx_finding_class_of(mx_finding_kind k) {
	return kinds[k].class;
}

enum { CAUSES = 4 }; /* kept for one pc; the last one counts for the others */

/* The finding of the same kind, pc and cause, or NULL. */
static struct mx_finding *find_same(const struct mx_report *r, const struct mx_finding *n) {
	struct mx_finding *last = NULL;
	unsigned causes = 0;
	for (size_t i = 0; i < r->n_findings; i++) {
		if (r->findings[i].kind != n->kind || r->findings[i].pc != n->pc)
			continue;
		last = &r->findings[i];
		causes++;
		if (last->earlier == n->earlier)
			return last;
	}
	return causes == CAUSES ? last : NULL;
}

static struct mx_finding *append(struct mx_run *run) {
	struct mx_report *r = run->report;
	if (r->n_findings == r->room) {
		size_t room = r->room ? 2 * r->room : 8;
		struct mx_finding *f = realloc(r->findings, room * sizeof *f);
		if (!f) {
			run->out_of_memory = true;
			return NULL;
		}
		r->findings = f;
		r->room = room;
	}
	return &r->findings[r->n_findings++];
}

/* After a race values may be wrong, and findings its consequence. Another cause of the same race at
 * the same instruction is not a consequence. */
static bool is_conditional(const struct mx_report *r, const struct mx_finding *n) {
	for (size_t i = 0; i < r->n_findings; i++)
		if (mx_finding_is_race(r->findings[i].kind) &&
		    (r->findings[i].kind != n->kind || r->findings[i].pc != n->pc))
			return true;
	return false;
}

uint64_t mx_pc_of(const struct mx_run *run, uint64_t offset) {
	const struct mx_launch *l = run->launch;
	return mx_program_base(l->program) + offset - l->kernel->entry;
}

struct mx_inst_dwords mx_inst_dwords_of(const struct mx_inst *in) {
	struct mx_inst_dwords c = { 0 };
	if (in) {
		c.n = in->size ? in->size / 4 : 1;
		c.banks = in->banks;
		memcpy(c.dword, in->dwords, sizeof *c.dword * c.n);
	}
	return c;
}

/* Fills in the place of an instruction, and the wave. */
static void place(struct mx_finding *n, const struct mx_wave *w, const struct mx_inst *in,
                  const struct mx_inst *earlier) {
	const struct mx_run *run = w->group->run;
	n->pc = mx_pc_of(run, in ? in->offset : w->pc);
	n->earlier = earlier ? mx_pc_of(run, earlier->offset) : MX_NO_PC;
	n->code = mx_inst_dwords_of(in);
	n->earlier_code = mx_inst_dwords_of(earlier);
	n->wave = w->index;
	memcpy(n->workgroup, w->group->id, sizeof n->workgroup);
	if (w->tile)
		n->tile = *w->tile;
	n->count = 1;
}

bool mx_finding_is_counted(mx_finding_kind k) {
	return k == MX_ASSUMED_NOTE || k == MX_WAIT_STATES_NOTE;
}

/* Counts, in a thread's report, a note of wait states of which the launch has one. */
static bool count_again(struct mx_run *run, const struct mx_finding *n) {
	const struct mx_finding *known = find_same(run->worker->before, n);
	if (n->kind != MX_WAIT_STATES_NOTE || !known)
		return false;
	struct mx_finding *f = find_same(run->report, known);
	if (!f && (f = append(run))) {
		*f = *known;
		f->count = 0;
	}
	if (f)
		f->count++;
	return true;
}

void mx_find_as(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *earlier,
                struct mx_finding *n) {
	struct mx_run *run = w->group->run;
	struct mx_finding *f;
	run->found++;
	place(n, w, in, earlier);
	if (run->worker) {
		if (!count_again(run, n))
			mx_abort(run);
		return;
	}
	run->report->stopped |= mx_finding_class_of(n->kind) == MX_FINDING_DEVICE;
	run->stopped = run->report->stopped;
	if ((f = find_same(run->report, n))) {
		f->count++;
		return;
	}
	n->conditional = is_conditional(run->report, n);
	if ((f = append(run)))
		*f = *n;
}

void mx_find_access(struct mx_wave *w, const struct mx_inst *in, mx_finding_kind kind, int lane,
                    uint64_t address, struct mx_finding_access access, struct mx_because because) {
	mx_find_as(w, in, NULL,
	           &(struct mx_finding){ .kind = kind,
	                                 .lane = lane,
	                                 .address = address,
	                                 .access = access,
	                                 .because = because });
}

void mx_find(struct mx_wave *w, const struct mx_inst *in, mx_finding_kind kind, int lane,
             uint64_t address, struct mx_because because) {
	mx_find_access(w, in, kind, lane, address, (struct mx_finding_access){ 0 }, because);
}

/* ---- notes ---- */

#define MX_PROBED NULL
static const struct {
	const char *name, *text, *no_probe;
} assumptions[] = {
	{ "", "", NULL },
#define MX_ASSUMPTION(id, text, no_probe) { #id, text, no_probe },
#include "../encoding/assumptions.def"
#undef MX_ASSUMPTION
};

const char *mx_assumption_text(mx_assumption a) {
	return assumptions[a].text;
}

const char *mx_assumption_name(mx_assumption a) {
	return assumptions[a].name;
}

const char *mx_assumption_no_probe(mx_assumption a) {
	return assumptions[a].no_probe;
}

/* Whether `a` comes before `b` in the launch. */
static bool is_before(const struct mx_finding *a, const struct mx_finding *b) {
	for (unsigned i = 3; i-- > 0;)
		if (a->workgroup[i] != b->workgroup[i])
			return a->workgroup[i] < b->workgroup[i];
	return a->wave != b->wave ? a->wave < b->wave : a->lane < b->lane;
}

static void note(struct mx_run *run, const struct mx_finding *n) {
	struct mx_finding *f = find_same(run->report, n);
	struct mx_finding *to = f ? f : append(run);
	uint64_t count = f ? f->count : 0;
	if (!to)
		return;
	if (!f || is_before(n, f))
		*to = *n;
	to->count = count + n->count;
}

void mx_assume(struct mx_wave *w, const struct mx_inst *in, uint64_t lanes, mx_assumption rule) {
	struct mx_run *run = w->group->run;
	struct mx_finding n = { .kind = MX_ASSUMED_NOTE,
		                .lane = lanes ? __builtin_ctzll(lanes) : -1,
		                .assumption = rule };
	if (run->silent)
		return;
	run->found++;
	if (run->n_notes < MX_NOTES)
		run->note[run->n_notes++] = (struct mx_noted){ lanes, rule };
	place(&n, w, in, NULL);
	const struct mx_finding *old = find_same(run->report, &n);
	n.assumption = old ? old->assumption : n.assumption;
	n.conditional = old ? old->conditional : is_conditional(run->report, &n);
	note(run, &n);
}

void mx_merge_notes(struct mx_run *run, const struct mx_report *from) {
	for (size_t i = 0; i < from->n_findings; i++)
		note(run, &from->findings[i]);
}

void mx_report_free(struct mx_report *r) {
	free(r->kernel);
	free(r->findings);
	free(r->stats.by_op);
	free(r->stats.banks);
	*r = (struct mx_report){ 0 };
}
