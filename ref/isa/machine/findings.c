/* Findings: one for each kind, place and cause, counted; and notes of what is assumed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../encoding/disasm.h"
#include "claims.h"
#include "findings.h"
#include "wave.h"

static const char *const names[] = {
#define MX_FINDING(id, name) name,
#include "../findings.def"
#undef MX_FINDING
};

const char *mx_finding_name(mx_finding_kind k) {
	return names[k];
}

static bool is_race(mx_finding_kind k) {
	return k == MX_RACE_LDS || k == MX_RACE_REGISTER || k == MX_RACE_GLOBAL;
}

static bool stops(mx_finding_kind k) {
	return k == MX_UNSUPPORTED || k == MX_FAULT || k == MX_STUCK || k == MX_TRAP;
}

enum { CAUSES = 4 }; /* told of one place; others count with the last */

/* The finding that tells of this already. */
static struct mx_finding *known(struct mx_report *r, mx_finding_kind kind, uint64_t pc,
                                uint64_t earlier) {
	struct mx_finding *last = NULL;
	unsigned causes = 0;
	for (size_t i = 0; i < r->n_findings; i++) {
		if (r->findings[i].kind != kind || r->findings[i].pc != pc)
			continue;
		last = &r->findings[i];
		causes++;
		if (last->earlier == earlier)
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

/* The instruction as LLVM writes it, or the row's name where that has no text of its dwords. */
static void instruction_text(const struct mx_inst *in, char *text, size_t room) {
	if (!mx_disassemble(in->dwords, in->size ? in->size / 4u : 1, in->offset, text, room))
		snprintf(text, room, "%s", in->op ? in->op->name : "unknown instruction");
}

/* Behind a race values may be anything, and findings its consequence; not so another cause of a
 * race at the same instruction. */
static bool is_conditional(const struct mx_report *r, const struct mx_finding *f) {
	for (size_t i = 0; i + 1 < r->n_findings; i++)
		if (is_race(r->findings[i].kind) &&
		    (r->findings[i].kind != f->kind || r->findings[i].pc != f->pc))
			return true;
	return false;
}

/* "kernel+0x1f4 v_mfma_... (d3ac0000 ...): text" */
static void describe(struct mx_finding *f, const struct mx_wave *w, const struct mx_inst *in,
                     const char *what) {
	const struct mx_kernel *k = w->group->run->launch->kernel;
	size_t n =
		snprintf(f->text, sizeof f->text, "%s+0x%llx", k->name, (unsigned long long)f->pc);
	if (in) {
		char text[160];
		instruction_text(in, text, sizeof text);
		n += snprintf(f->text + n, sizeof f->text - n, " %s (", text);
		for (unsigned i = 0; i < (in->size ? in->size / 4u : 1) && n < sizeof f->text; i++)
			n += snprintf(f->text + n, sizeof f->text - n, "%s%08x", i ? " " : "",
			              in->dwords[i]);
		n += n < sizeof f->text ? snprintf(f->text + n, sizeof f->text - n, ")") : 0;
	}
	n += n < sizeof f->text ? snprintf(f->text + n, sizeof f->text - n, ": %s", what) : 0;
	if (n < sizeof f->text && is_conditional(w->group->run->report, f))
		snprintf(f->text + n, sizeof f->text - n, " (conditional: a race came before)");
}

/* From the kernel's first instruction. */
static uint64_t place_of(const struct mx_wave *w, const struct mx_inst *in) {
	const struct mx_launch *l = w->group->run->launch;
	uint64_t at = in ? in->offset : w->pc;
	return mx_program_base(l->program) + at - l->kernel->entry;
}

static uint64_t cause_of(const struct mx_wave *w, const struct mx_inst *earlier) {
	return earlier ? place_of(w, earlier) : MX_NO_PC;
}

bool mx_found_again(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *earlier,
                    mx_finding_kind kind) {
	struct mx_finding *f =
		known(w->group->run->report, kind, place_of(w, in), cause_of(w, earlier));
	if (f)
		f->count++;
	return f != NULL;
}

static void find(struct mx_wave *w, const struct mx_inst *in, const struct mx_finding *n,
                 const char *format, va_list ap) {
	struct mx_run *run = w->group->run;
	char what[sizeof n->text];
	if (run->worker) {
		mx_abort(run);
		return;
	}
	run->report->stopped |= stops(n->kind);
	struct mx_finding *f = known(run->report, n->kind, n->pc, n->earlier);
	if (f) {
		f->count++;
		return;
	}
	f = append(run);
	if (!f)
		return;
	*f = *n;
	f->wave = w->index;
	f->count = 1;
	memcpy(f->workgroup, w->group->id, sizeof f->workgroup);
	vsnprintf(what, sizeof what, format, ap);
	describe(f, w, in, what);
}

void mx_find(struct mx_wave *w, const struct mx_inst *in, mx_finding_kind kind, int lane,
             uint64_t address, const char *format, ...) {
	const struct mx_finding n = { .kind = kind,
		                      .pc = place_of(w, in),
		                      .earlier = MX_NO_PC,
		                      .lane = lane,
		                      .address = address };
	va_list ap;
	va_start(ap, format);
	find(w, in, &n, format, ap);
	va_end(ap);
}

void mx_find_pair(struct mx_wave *w, const struct mx_inst *in, const struct mx_inst *earlier,
                  mx_finding_kind kind, int lane, uint64_t address, const char *format, ...) {
	const struct mx_finding n = { .kind = kind,
		                      .pc = place_of(w, in),
		                      .earlier = cause_of(w, earlier),
		                      .lane = lane,
		                      .address = address };
	va_list ap;
	va_start(ap, format);
	find(w, in, &n, format, ap);
	va_end(ap);
}

/* ---- notes ---- */

static const char *const assumptions[] = {
	"",
#define MX_ASSUMPTION(id, text) text,
#include "../encoding/assumptions.def"
#undef MX_ASSUMPTION
};

const char *mx_assumption_text(mx_assumption a) {
	return assumptions[a];
}

/* Which of two comes first in the launch. */
static bool is_before(const struct mx_finding *a, const struct mx_finding *b) {
	for (unsigned i = 3; i-- > 0;)
		if (a->workgroup[i] != b->workgroup[i])
			return a->workgroup[i] < b->workgroup[i];
	return a->wave != b->wave ? a->wave < b->wave : a->lane < b->lane;
}

static void note(struct mx_run *run, const struct mx_finding *n) {
	struct mx_finding *f = known(run->report, n->kind, n->pc, n->earlier);
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
	struct mx_finding n = {
		.kind = MX_ASSUMED_NOTE,
		.pc = place_of(w, in),
		.earlier = MX_NO_PC,
		.wave = w->index,
		.lane = lanes ? __builtin_ctzll(lanes) : -1,
		.count = 1,
	};
	memcpy(n.workgroup, w->group->id, sizeof n.workgroup);
	const struct mx_finding *old = known(run->report, n.kind, n.pc, n.earlier);
	if (old)
		memcpy(n.text, old->text, sizeof n.text);
	else
		describe(&n, w, in, mx_assumption_text(rule));
	note(run, &n);
}

void mx_merge_notes(struct mx_run *run, const struct mx_report *from) {
	for (size_t i = 0; i < from->n_findings; i++)
		note(run, &from->findings[i]);
}

bool mx_stopped(const struct mx_wave *w) {
	return mx_run_over(w->group->run);
}

void mx_report_free(struct mx_report *r) {
	free(r->findings);
	free(r->stats.by_op);
	*r = (struct mx_report){ 0 };
}
