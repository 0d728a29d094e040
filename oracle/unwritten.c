/* Which bytes a launch never wrote.
 *
 * Values do not say: the poison that outputs start with is a NaN, a scale and an integer like any
 * other. The emulator keeps a state of each byte. Elsewhere the launch is repeated with other bytes
 * in place of the poison: a byte that holds the poison of each launch was not written. A byte that
 * was written could do so by chance where the launch does not repeat its other bytes; then it is
 * repeated again, with other bytes each time. */
#include "../cases/dtype.h"
#include "../cases/layout.h"
#include "bench_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 4 };

/* ---- what starts as poison ---- */

void mx_poisoned(const struct mx_plan *plan, unsigned i, mx_stretch *each, void *context) {
	const struct mx_buffer *spec = &plan->buffers[i];
	size_t start = spec->guard, from, to;
	each(context, 0, spec->guard, true);
	each(context, start + spec->bytes, spec->guard, true);
	if (!spec->bytes)
		return;
	if (!mx_buffer_is_filled(plan, spec)) {
		each(context, start, spec->bytes, false);
		return;
	}
	for (size_t line = 0; line < spec->lines; line++)
		if (mx_buffer_padding(spec, line, &from, &to))
			each(context, start + from, to - from, false);
	if (spec->packing.layout && spec->packing.fill == MX_FILL_POISON)
		for (to = 0; mx_packing_padding(&spec->packing, to, &from, &to);)
			each(context, start + from, to - from, false);
}

/* ---- by the emulator's states ---- */

/* A store of what was never written leaves the state as if there had been none, and is a finding of
 * its own; the byte that it changes is not the poison any more. */
static void read_states(struct mx_bench *b, unsigned i) {
	struct bench_buffer *x = &b->buffer[i];
	b->device->emu->states(x->device, x->bytes, x->unwritten);
	for (size_t at = 0; at < x->bytes; at++)
		x->unwritten[at] =
			!(x->unwritten[at] & MX_WRITTEN) && x->after[at] == x->before[at];
}

/* ---- by repeating the launch ---- */

/* What a repeated launch has in place of the bench's own. */
struct images {
	uint8_t *before[MX_MAX_BUFFERS], *after[MX_MAX_BUFFERS];
};

static void exchange(uint8_t **a, uint8_t **b) {
	uint8_t *t = *a;
	*a = *b;
	*b = t;
}

static void exchange_images(struct mx_bench *b, struct images *x) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		exchange(&b->buffer[i].before, &x->before[i]);
		exchange(&b->buffer[i].after, &x->after[i]);
	}
}

static int make_images(const struct mx_bench *b, struct images *x) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		const struct bench_buffer *buffer = &b->buffer[i];
		x->before[i] = malloc(buffer->bytes);
		x->after[i] = malloc(buffer->bytes);
		if (!x->before[i] || !x->after[i])
			return -1;
		memcpy(x->before[i], buffer->before, buffer->bytes);
	}
	return 0;
}

static void free_images(struct images *x) {
	for (unsigned i = 0; i < MX_MAX_BUFFERS; i++) {
		free(x->before[i]);
		free(x->after[i]);
	}
}

/* Any byte but MX_POISON, another one at each place and in each round. */
static uint8_t other_poison(unsigned round, size_t at) {
	uint64_t x = (at + 1) * 0x9e3779b97f4a7c15u + round * 0xd1b54a32d192ed03u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return (uint8_t)((x >> 32) % MX_POISON);
}

struct poison {
	uint8_t *image;
	unsigned round;
};

static void poison_anew(void *context, size_t from, size_t bytes, bool guard) {
	const struct poison *p = context;
	(void)guard;
	for (size_t at = from; at < from + bytes; at++)
		p->image[at] = other_poison(p->round, at);
}

static void start_narrowing(void *context, size_t from, size_t bytes, bool guard) {
	const struct bench_buffer *x = context;
	(void)guard;
	for (size_t at = from; at < from + bytes; at++)
		x->unwritten[at] = x->after[at] == x->before[at];
}

/* Keeps the bytes that hold the poison of this launch too. True if another byte differs from the
 * first launch's. */
static bool narrow(struct bench_buffer *x, const uint8_t *before, const uint8_t *after) {
	bool differs = false;
	for (size_t at = 0; at < x->bytes; at++) {
		x->unwritten[at] &= after[at] == before[at];
		differs |= !x->unwritten[at] && after[at] != x->after[at];
	}
	return differs;
}

/* Launches with the poison of a round. *differs: whether it left other bytes than the first. */
static int repeat(struct mx_bench *b, struct images *x, unsigned round, uint64_t schedule,
                  struct mx_run_result *r, bool *differs, struct mx_error *err) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		mx_poisoned(&b->plan, i, poison_anew, &(struct poison){ x->before[i], round });
	exchange_images(b, x);
	int status = mx_bench_run(b, schedule, r, err);
	exchange_images(b, x);
	*differs = false;
	for (unsigned i = 0; !status && !r->failed && i < b->plan.n_buffers; i++)
		*differs |= narrow(&b->buffer[i], x->before[i], x->after[i]);
	return status;
}

static int find_by_repeating(struct mx_bench *b, uint64_t schedule, struct mx_verdict *v,
                             struct mx_error *err) {
	struct images x = { 0 };
	struct mx_run_result r = { 0 };
	bool differs = true;
	int status = make_images(b, &x) ? mx_fail(err, "%s: out of memory", b->plan.name) : 0;
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		mx_poisoned(&b->plan, i, start_narrowing, &b->buffer[i]);
	for (unsigned i = 1; !status && !r.failed && differs && i <= MOST_REPEATS; i++)
		status = repeat(b, &x, i, schedule, &r, &differs, err);
	free_images(&x);
	if (!status && r.failed)
		mx_verdict_add(v, MX_WRONG_DEVICE, r.late ? "time-out" : "fault",
		               "repeated with another poison: %s", r.failure);
	return status ? status : r.failed;
}

/* ---- either way ---- */

int mx_unwritten_find(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                      struct mx_error *err) {
	const struct mx_emu *emu = b->device->emu;
	bool has_states = emu && emu->states;
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		free(b->buffer[i].unwritten);
		b->buffer[i].unwritten = calloc(1, b->buffer[i].bytes);
		if (!b->buffer[i].unwritten)
			return mx_fail(err, "%s: out of memory", b->plan.name);
		if (has_states)
			read_states(b, i);
	}
	return has_states ? 0 : find_by_repeating(b, r->schedule, v, err);
}

unsigned mx_unwritten_bytes(const struct mx_bench *b, const struct mx_buffer *x, size_t row,
                            size_t col) {
	const uint8_t *at =
		b->buffer[x - b->plan.buffers].unwritten + x->guard + mx_buffer_at(x, row, col);
	unsigned n = 0;
	for (size_t i = 0; i < dtype_bytes(x->type, 1); i++)
		n += at[i];
	return n;
}
