/* The witness of a race: the first wrong byte's chain of instructions under the calm schedule and
 * under the one that diverges, and where they part. */
#include "witness.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../fuzz/schedule.h"
#include "who.h"

enum {
	MOST_RUNS = 3000,
	MOST_DEPTH = 16, /* of chains */
};

static const double most_seconds = 30; /* of shrinking */

/* ---- where two chains part ---- */

struct chains {
	struct mx_chain calm, here;
	int calm_value, here_value; /* where they part; -1: nowhere */
};

static bool same_step(const struct mx_step *a, const struct mx_step *b) {
	return a->pc == b->pc && a->issue == b->issue && a->wave == b->wave && a->lane == b->lane &&
	       a->part == b->part && !memcmp(a->workgroup, b->workgroup, sizeof a->workgroup);
}

static int next_value(const struct mx_chain *c, int reader, int from) {
	for (int i = from; i < (int)c->n_values; i++)
		if (c->values[i].reader == reader)
			return i;
	return -1;
}

static bool part(struct chains *c, int calm, int here);

/* Values that the same instruction read, in the same order. */
static bool sources_part(struct chains *c, int calm, int here) {
	int a = next_value(&c->calm, calm, 0), b = next_value(&c->here, here, 0);
	for (; a >= 0 && b >= 0;
	     a = next_value(&c->calm, calm, a + 1), b = next_value(&c->here, here, b + 1))
		if (part(c, a, b))
			return true;
	return false;
}

static bool part(struct chains *c, int calm, int here) {
	const struct mx_value *a = &c->calm.values[calm], *b = &c->here.values[here];
	if (!a->wanted || !b->wanted)
		return false;
	if (a->writer >= 0 && b->writer >= 0 &&
	    same_step(&c->calm.steps[a->writer], &c->here.steps[b->writer]))
		return c->calm.steps[a->writer].depth < MOST_DEPTH &&
		       sources_part(c, a->writer, b->writer);
	if (a->writer < 0 && b->writer < 0)
		return false;
	c->calm_value = calm;
	c->here_value = here;
	return true;
}

/* ---- in words ---- */

static void add_line(char *text, size_t room, const char *lead, const char *line) {
	size_t n = strlen(text);
	if (n < room)
		snprintf(text + n, room - n, "%s%s\n", lead, line);
}

/* What a reader gets, or what is in memory in the end, and who wrote it. */
static void writer_line(const struct mx_bench *b, const struct mx_chain *c, int value, char *text,
                        size_t room) {
	const struct mx_value *v = &c->values[value];
	bool read = v->reader >= 0;
	size_t n = (size_t)snprintf(text, room, read ? "gets " : "is ");
	if (v->known)
		n += (size_t)snprintf(text + n, room - n, "0x%08" PRIx32 ", ", v->data);
	if (v->writer < 0)
		snprintf(text + n, room - n,
		         read ? "which nobody has written yet" : "written by nobody");
	else {
		n += (size_t)snprintf(text + n, room - n, read ? "of " : "written by ");
		mx_step_text(b, &c->steps[v->writer], text + n, room - n);
	}
}

static void describe(const struct mx_bench *b, const struct chains *c, struct mx_result *r) {
	const struct mx_value *v = &c->here.values[c->here_value];
	char line[900], place[160];
	if (v->reader >= 0)
		mx_step_text(b, &c->here.steps[v->reader], line, sizeof line);
	else
		snprintf(line, sizeof line, "%s", mx_place_text(b, v->address, place));
	size_t n = strlen(line);
	if (v->where == MX_IN_LDS)
		snprintf(line + n, sizeof line - n, ", of LDS at byte %" PRIu64, v->address);
	else if (v->where == MX_IN_MEMORY && v->reader >= 0)
		snprintf(line + n, sizeof line - n, ", of %s", mx_place_text(b, v->address, place));
	add_line(r->witness, sizeof r->witness, v->reader >= 0 ? "reader: " : "byte: ", line);
	writer_line(b, &c->calm, c->calm_value, line, sizeof line);
	add_line(r->witness, sizeof r->witness, "  calm: ", line);
	writer_line(b, &c->here, c->here_value, line, sizeof line);
	add_line(r->witness, sizeof r->witness, "  here: ", line);
}

/* ---- finding it ---- */

static int find_chain(struct mx_bench *b, const struct mx_schedule *s, uint64_t address,
                      unsigned depth, struct mx_chain *c, struct mx_error *err) {
	const struct mx_emu *emu = mx_bench_device(b)->emu;
	emu->set_schedule(s);
	int status = mx_chain_find(b, 0, address, 1, depth, c, err);
	emu->set_schedule(NULL);
	return status;
}

static int compare(struct mx_bench *b, const struct mx_witness *w, struct mx_result *r) {
	uint64_t address = mx_bench_address(b, w->buffer) + (uint64_t)w->offset;
	const struct mx_schedule calm = { .odd = UINT64_MAX };
	bool found = false;
	for (unsigned depth = 2; !found && depth <= MOST_DEPTH; depth += 2) {
		struct chains c = { .calm_value = -1 };
		int status = find_chain(b, &calm, address, depth, &c.calm, &r->err);
		if (!status)
			status = find_chain(b, &w->schedule, address, depth, &c.here, &r->err);
		found = !status && part(&c, 0, 0);
		if (found)
			describe(b, &c, r);
		mx_chain_free(&c.calm);
		mx_chain_free(&c.here);
		if (status)
			return -1;
	}
	return 0;
}

static void summarise(const struct mx_bench *b, const struct mx_witness *w, struct mx_result *r) {
	char line[400], place[160];
	uint64_t address = mx_bench_address(b, w->buffer) + (uint64_t)w->offset;
	if (w->found)
		snprintf(line, sizeof line,
		         "%zu of %zu decisions are enough (%u runs); first wrong byte: %s",
		         w->schedule.n, w->decisions, w->runs, mx_place_text(b, address, place));
	else
		snprintf(line, sizeof line, "not shortened: %s", w->why);
	add_line(r->witness, sizeof r->witness, "", line);
}

int mx_witness_find(const struct mx_options *o, struct mx_bench *b, struct mx_result *r) {
	double each = r->seconds > 1e-5 ? r->seconds : 1e-5, most = most_seconds / each;
	unsigned runs = most < MOST_RUNS ? (unsigned)most : MOST_RUNS;
	const uint64_t seeds[] = { o->seed + r->race.first, o->seed };
	struct mx_witness w = { .found = false };
	int status = 0;
	for (unsigned i = 0; !status && !w.found && i < 2; i++) {
		mx_schedule_free(&w.schedule);
		status = mx_shrink(b, seeds[i], runs, &w, &r->err);
	}
	if (!status) {
		summarise(b, &w, r);
		r->schedule = w.found ? mx_schedule_text(&w.schedule) : NULL;
	}
	if (!status && w.found)
		status = compare(b, &w, r);
	mx_schedule_free(&w.schedule);
	return status;
}
