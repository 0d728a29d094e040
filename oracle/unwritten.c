/* The bytes that a launch never wrote.
 *
 * Values do not show this: the poison of outputs may also be a result. The emulator keeps a state
 * for each byte. On a real device the launch is repeated with the complement of the poison: a bit
 * that holds the poison of both launches was not written. Four such bits in a byte count as an
 * unwritten code (FP4 or wider). If other bits of the output differ too, the launch is not
 * deterministic, and bits may match by chance. Then, and if a part of a byte seems unwritten, the
 * launch is repeated with different poison bytes each time. If the launch is not deterministic, a
 * byte counts as unwritten only if all of its bits hold the poison of each launch. */
#include "../cases/dtype.h"
#include "../cases/layout.h"
#include "product.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 4 };

/* ---- poisoned ranges ---- */

enum state { FILLED, POISONED, UNUSED };

/* The state of a byte of buffer i, as the last buffer in it says that has an element there, or the
 * padding of a layout. */
static enum state state_of(const struct mx_plan *plan, unsigned i, size_t at) {
	size_t line, in_line;
	for (unsigned k = plan->n_buffers; k-- > 0;) {
		const struct mx_buffer *x = &plan->buffers[k];
		if (x->in != (int)i || at < x->place || at - x->place >= x->bytes)
			continue;
		if (mx_buffer_find(x, at - x->place, &line, &in_line))
			return mx_buffer_is_filled(plan, x) ? FILLED : POISONED;
		if (x->packing.layout)
			return x->packing.fill == MX_FILL_POISON ? POISONED : FILLED;
	}
	return mx_buffer_is_filled(plan, &plan->buffers[i]) ? FILLED : UNUSED;
}

/* Runs of bytes with one state. */
static void poisoned_of_others(const struct mx_plan *plan, unsigned i, mx_stretch *each,
                               void *context) {
	const struct mx_buffer *spec = &plan->buffers[i];
	for (size_t from = 0, to; from < spec->bytes; from = to) {
		enum state state = state_of(plan, i, from);
		for (to = from + 1; to < spec->bytes && state_of(plan, i, to) == state;)
			to++;
		if (state != FILLED)
			each(context, spec->guard + from, to - from, state == UNUSED);
	}
}

void mx_poisoned(const struct mx_plan *plan, unsigned i, mx_stretch *each, void *context) {
	const struct mx_buffer *spec = &plan->buffers[i];
	size_t start = spec->guard, from, to;
	if (spec->in >= 0)
		return;
	each(context, 0, spec->guard, true);
	each(context, start + spec->bytes, spec->guard, true);
	if (!spec->bytes)
		return;
	if (mx_buffer_holds_others(plan, i)) {
		poisoned_of_others(plan, i, each, context);
		return;
	}
	if (!mx_buffer_is_filled(plan, spec)) {
		each(context, start, spec->bytes, false);
		return;
	}
	for (size_t line = 0; line < spec->lines; line++)
		if (mx_buffer_padding(spec, line, &from, &to))
			each(context, start + from, to - from, false);
	if (spec->packing.layout && spec->packing.fill == MX_FILL_POISON)
		for (to = 0; mx_buffer_unpacked(spec, to, &from, &to);)
			each(context, start + from, to - from, false);
}

/* ---- by the states of the emulator ---- */

static bool all_written(const uint8_t *states, size_t n) {
	uint8_t all = MX_WRITTEN;
	for (size_t i = 0; i < n; i++)
		all &= states[i];
	return all;
}

/* Bytes of a buffer with their states, and whether any of them is unwritten. */
struct range {
	const struct bench_buffer *buffer;
	size_t from;
	const uint8_t *states;
	atomic_bool any;
};

/* A store of unwritten data leaves the state unwritten, and is a separate finding. The byte that it
 * changes no longer holds the poison. `unwritten` begins with zeros, whose pages stay untouched
 * where a launch wrote all. */
static void read_some(void *context, size_t first, size_t end) {
	struct range *r = context;
	const struct bench_buffer *x = r->buffer;
	const uint8_t *states = r->states, *before = x->before + r->from;
	const uint8_t *after = x->after + r->from;
	uint8_t *restrict unwritten = x->unwritten + r->from, any = 0;
	if (all_written(states + first, end - first))
		return;
	for (size_t i = first; i < end; i++) {
		unwritten[i] = !(states[i] & MX_WRITTEN) & (after[i] == before[i]);
		any |= unwritten[i];
	}
	if (any)
		atomic_store(&r->any, true);
}

/* Returns whether any of the bytes is unwritten. */
static bool read_range(const struct mx_bench *b, unsigned i, size_t from, size_t bytes) {
	enum { SOME = 1 << 18 };
	struct range r = { &b->buffer[i], from };
	r.states = b->device->emu->states((uint8_t *)r.buffer->device + from, bytes);
	exact_parallel(mx_judge_n_threads(), bytes, SOME, read_some, &r);
	return atomic_load(&r.any);
}

struct reading {
	struct mx_bench *b;
	unsigned i;
};

static void read_used(void *context, size_t from, size_t bytes) {
	const struct reading *r = context;
	r->b->buffer[r->i].has_unwritten |=
		read_range(r->b, r->i, r->b->plan.buffers[r->i].guard + from, bytes);
}

static void read_states(struct mx_bench *b, unsigned i) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	struct reading r = { b, i };
	read_range(b, i, 0, s->guard);
	read_range(b, i, s->guard + s->bytes, s->guard);
	if (mx_tiles_divide(&b->plan, i))
		mx_tiles_bytes(&b->plan, i, read_used, &r);
	else
		read_used(&r, 0, s->bytes);
}

/* ---- by repeating the launch ---- */

/* Buffer contents of a repeated launch, exchanged with the bench's. */
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
		if (b->plan.buffers[i].in >= 0)
			continue;
		exchange(&b->buffer[i].before, &x->before[i]);
		exchange(&b->buffer[i].after, &x->after[i]);
	}
}

static int make_images(const struct mx_bench *b, struct images *x) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		const struct bench_buffer *buffer = &b->buffer[i];
		if (b->plan.buffers[i].in >= 0)
			continue;
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

/* From round 2 on, each byte has its own poison. */
static uint8_t other_poison(unsigned round, size_t at) {
	uint64_t x = (at + 1) * 0x9e3779b97f4a7c15u + round * 0xd1b54a32d192ed03u;
	x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
	return round == 1 ? MX_POISON ^ 0xff : (uint8_t)(x >> 32);
}

struct poison {
	uint8_t *image;
	unsigned round;
};

static void set_poison(void *context, size_t from, size_t bytes, bool guard) {
	const struct poison *p = context;
	(void)guard;
	for (size_t at = from; at < from + bytes; at++)
		p->image[at] = other_poison(p->round, at);
}

/* While launches are repeated, `unwritten` holds a mask: the bits that held the poison in each
 * launch. */
static void start_narrowing(void *context, size_t from, size_t bytes, bool guard) {
	const struct bench_buffer *x = context;
	(void)guard;
	for (size_t at = from; at < from + bytes; at++)
		x->unwritten[at] = x->after[at] ^ x->before[at] ^ 0xff;
}

/* A repeated launch, and reasons to repeat it again. */
struct repeated {
	struct bench_buffer *buffer;
	const uint8_t *before, *after;
	bool differs; /* poisoned bits differ that do not hold the poison */
	bool in_part; /* bytes seem to be partly written */
};

static bool is_code(uint8_t bits) {
	return __builtin_popcount(bits) >= 4;
}

/* Keeps the bits that also hold the poison of this launch. The first two launches have
 * complementary poison, so bits written with equal values are cleared. */
static void narrow(void *context, size_t from, size_t bytes, bool guard) {
	struct repeated *r = context;
	(void)guard;
	for (size_t at = from; at < from + bytes; at++) {
		uint8_t *bits = &r->buffer->unwritten[at];
		*bits &= r->after[at] ^ r->before[at] ^ 0xff;
		r->differs |= ((r->after[at] ^ r->buffer->after[at]) & ~*bits) != 0;
		r->in_part |= is_code(*bits) && *bits != 0xff;
	}
}

static void end_narrowing(struct bench_buffer *x, bool differs) {
	for (size_t at = 0; at < x->bytes; at++)
		x->unwritten[at] = differs ? x->unwritten[at] == 0xff : is_code(x->unwritten[at]);
}

/* Launches with the poison of a round; adds reasons to repeat it to *all. */
static int repeat(struct mx_bench *b, struct images *x, unsigned round, uint64_t schedule,
                  struct mx_run_result *r, struct repeated *all, struct mx_error *err) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		mx_poisoned(&b->plan, i, set_poison, &(struct poison){ x->before[i], round });
	exchange_images(b, x);
	int status = mx_bench_run(b, schedule, r, err);
	exchange_images(b, x);
	for (unsigned i = 0; !status && !r->failed && i < b->plan.n_buffers; i++) {
		struct repeated one = { &b->buffer[i], x->before[i], x->after[i] };
		mx_poisoned(&b->plan, i, narrow, &one);
		all->differs |= one.differs;
		all->in_part |= one.in_part;
	}
	return status;
}

static int find_by_repeating(struct mx_bench *b, uint64_t schedule, struct mx_verdict *v,
                             struct mx_error *err) {
	struct images x = { 0 };
	struct mx_run_result r = { 0 };
	struct repeated all = { 0 };
	int status = make_images(b, &x) ? mx_fail(err, "%s: out of memory", b->plan.name) : 0;
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		mx_poisoned(&b->plan, i, start_narrowing, &b->buffer[i]);
	for (unsigned i = 1; !status && !r.failed && i <= MOST_REPEATS; i++) {
		status = repeat(b, &x, i, schedule, &r, &all, err);
		if (!all.differs && !all.in_part)
			break;
	}
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.buffers[i].in < 0)
			end_narrowing(&b->buffer[i], all.differs);
	free_images(&x);
	if (!status && r.failed)
		mx_verdict_add(v, MX_WRONG_DEVICE, r.late ? "time-out" : "fault",
		               "repeated with another poison: %s", r.failure);
	return status ? status : r.failed;
}

/* ---- all devices ---- */

int mx_unwritten_find(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                      struct mx_error *err) {
	const struct mx_emu *emu = b->device->emu;
	bool has_states = emu && emu->states;
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		if (b->plan.buffers[i].in >= 0)
			continue;
		mx_unwritten_free(b, i);
		b->buffer[i].unwritten = mx_tiles_divide(&b->plan, i)
		                                 ? mx_sparse_new(b->buffer[i].bytes)
		                                 : calloc(1, b->buffer[i].bytes);
		if (!b->buffer[i].unwritten)
			return mx_fail(err, "%s: out of memory", b->plan.name);
		b->buffer[i].has_unwritten = !has_states;
		if (has_states)
			read_states(b, i);
	}
	int status = has_states ? 0 : find_by_repeating(b, r->schedule, v, err);
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		const struct mx_buffer *x = &b->plan.buffers[i];
		if (x->in < 0)
			continue;
		b->buffer[i].unwritten =
			b->buffer[x->in].unwritten + b->plan.buffers[x->in].guard + x->place;
		b->buffer[i].has_unwritten = b->buffer[x->in].has_unwritten;
	}
	return status;
}

void mx_unwritten_free(struct mx_bench *b, unsigned i) {
	if (mx_tiles_divide(&b->plan, i))
		mx_sparse_free(b->buffer[i].unwritten, b->buffer[i].bytes);
	else
		free(b->buffer[i].unwritten);
	b->buffer[i].unwritten = NULL;
}

unsigned mx_unwritten_bytes(const struct mx_bench *b, const struct mx_buffer *x, size_t row,
                            size_t col) {
	const uint8_t *at =
		b->buffer[x - b->plan.buffers].unwritten + x->guard + mx_buffer_at(x, row, col);
	size_t bytes = dtype_bytes(x->type, 1);
	unsigned n = 0;
	for (size_t i = 0; i < bytes; i++)
		n += at[i];
	return n;
}
