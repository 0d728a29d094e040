/* A batch: consecutive runs of a hunt, compared with run 0 byte by byte. */
#include "batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cases/dtype.h"

/* ---- run 0 ---- */

int mx_run_0_keep(struct mx_run_0 *zero, const struct mx_bench *b, const struct mx_run_result *r,
                  struct mx_error *err) {
	*zero = (struct mx_run_0){ .failed = r->failed };
	if (mx_bench_plan(b)->n_tiles) /* its buffers may be larger than memory */
		return mx_fail(err, "%s: a run of some tiles is not compared with others",
		               mx_bench_plan(b)->name);
	zero->hash = r->failed ? 0 : mx_bench_hash(b);
	for (unsigned i = 0; !r->failed && i < mx_bench_plan(b)->n_buffers; i++) {
		size_t bytes;
		const uint8_t *now = mx_bench_bytes(b, i, &bytes);
		zero->unchanged[i] = mx_bench_is_unchanged(b, i);
		if (!(zero->bytes[i] = malloc(bytes)))
			return mx_fail(err, "out of memory");
		memcpy(zero->bytes[i], now, bytes);
	}
	return 0;
}

void mx_run_0_free(struct mx_run_0 *zero) {
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++)
		free(zero->bytes[i]);
	*zero = (struct mx_run_0){ .failed = false };
}

/* ---- the first difference of two runs ---- */

static uint64_t element(const uint8_t *bytes, unsigned size) {
	uint64_t v = 0;
	memcpy(&v, bytes, size);
	return v;
}

/* Describes the first differing byte; if it belongs to an element, the element. */
static void locate(struct mx_output *x, const struct mx_buffer *s, const uint8_t *now,
                   const uint8_t *then, size_t at) {
	size_t inside = at - s->guard;
	x->size = at >= s->guard && inside < s->bytes && s->ld ? (uint32_t)dtype_bytes(s->type, 1)
	                                                       : 1;
	if (x->size > 1)
		at -= inside % s->ld % x->size;
	x->offset = (int64_t)at - (int64_t)s->guard;
	x->here = element(now + at, x->size);
	x->there = element(then + at, x->size);
}

static bool differs(const struct mx_bench *b, const struct mx_run_0 *zero, struct mx_output *x) {
	const struct mx_plan *p = mx_bench_plan(b);
	for (x->buffer = 0; x->buffer < p->n_buffers; x->buffer++) {
		size_t bytes, at = 0;
		const uint8_t *now = mx_bench_bytes(b, x->buffer, &bytes);
		const uint8_t *then = zero->bytes[x->buffer];
		if (zero->unchanged[x->buffer] && mx_bench_is_unchanged(b, x->buffer))
			continue;
		if (!memcmp(now, then, bytes))
			continue;
		while (now[at] == then[at])
			at++;
		locate(x, &p->buffers[x->buffer], now, then, at);
		return true;
	}
	return false;
}

struct mx_output mx_run_0_compare(const struct mx_run_0 *zero, const struct mx_bench *b,
                                  const struct mx_run_result *r) {
	struct mx_output x = { .outcome = MX_RUN_SAME, .hash = zero->hash };
	if (r->failed)
		return (struct mx_output){ .outcome = MX_RUN_FAULT };
	if (!zero->failed && !differs(b, zero, &x))
		return x;
	x.outcome = MX_RUN_DIFFERS;
	x.hash = mx_bench_hash(b);
	return x;
}

void mx_output_text(const struct mx_output *x, const struct mx_plan *p, const char *other,
                    char *text, size_t room) {
	const struct mx_buffer *s = &p->buffers[x->buffer];
	long long offset = x->offset;
	size_t line, i;
	char where[160];
	if (x->outcome == MX_RUN_FAULT || !x->size) {
		snprintf(text, room, "the device failed in one of them");
		return;
	}
	if (offset < 0 || !s->ld || offset >= (long long)s->bytes)
		snprintf(where, sizeof where, "%s, byte %lld (guard)", s->name, offset);
	else if (s->packing.layout || !mx_buffer_find(s, (size_t)offset, &line, &i))
		snprintf(where, sizeof where, "%s, byte %lld", s->name, offset);
	else
		snprintf(where, sizeof where, "%s[%zu][%zu]", s->name, line, i / x->size);
	snprintf(text, room, "first at %s, 0x%0*" PRIx64 ", %s 0x%0*" PRIx64, where,
	         2 * (int)x->size, x->here, other, 2 * (int)x->size, x->there);
}

/* ---- the batch ---- */

static struct mx_output *find(struct mx_batch *batch, mx_run_outcome outcome, uint64_t hash) {
	for (uint32_t i = 0; i < batch->n_outputs; i++)
		if (batch->outputs[i].outcome == outcome && batch->outputs[i].hash == hash)
			return &batch->outputs[i];
	return NULL;
}

static void add(struct mx_batch *batch, struct mx_output *x) {
	struct mx_output *same = find(batch, x->outcome, x->hash);
	x->first = batch->first + batch->done;
	x->runs = 1;
	if (same)
		same->runs++;
	else
		batch->outputs[batch->n_outputs++] = *x;
}

static bool has_findings(const struct mx_bench *b) {
	size_t n = 0;
	for (unsigned i = 0; i < mx_bench_plan(b)->n_steps; i++)
		n += mx_bench_report(b, i)->n_findings;
	return n;
}

/* Most runs have none, and a verdict is large. */
static void take_notes(struct mx_batch *batch, const struct mx_bench *b) {
	if (!has_findings(b))
		return;
	struct mx_verdict v = { 0 };
	mx_bench_device_findings(b, &v);
	for (unsigned i = 0; i < v.n_notes; i++) {
		bool had = batch->n_notes == MX_BATCH_NOTES;
		for (uint32_t k = 0; k < batch->n_notes; k++)
			had |= !strcmp(batch->notes[k].text, v.notes[i].text);
		if (!had)
			batch->notes[batch->n_notes++] = v.notes[i];
	}
}

/* Judges each distinct result once. */
static mx_run_outcome judge_other(struct mx_batch *batch, const struct mx_race_options *o,
                                  struct mx_bench *b, const struct mx_run_result *r,
                                  uint64_t hash) {
	if (!o->legal || find(batch, MX_RUN_DIFFERS, hash))
		return MX_RUN_DIFFERS;
	if (find(batch, MX_RUN_LEGAL, hash))
		return MX_RUN_LEGAL;
	return o->legal(o->context, b, r) ? MX_RUN_LEGAL : MX_RUN_DIFFERS;
}

void mx_batch_add(struct mx_batch *batch, const struct mx_race_options *o,
                  const struct mx_run_0 *zero, struct mx_bench *b, const struct mx_run_result *r) {
	struct mx_output x = mx_run_0_compare(zero, b, r);
	if (x.outcome == MX_RUN_DIFFERS)
		x.outcome = judge_other(batch, o, b, r, x.hash);
	take_notes(batch, b);
	if (x.outcome == MX_RUN_SAME)
		batch->same++;
	else
		add(batch, &x);
	batch->seconds += r->seconds;
	batch->done++;
}

void mx_batch_add_lost(struct mx_batch *batch, mx_run_outcome outcome, int cause) {
	struct mx_output x = { .outcome = outcome, .cause = cause };
	add(batch, &x);
	batch->done++;
}
