/* Operands as a method has loaded them, of each thread. */
#include "kept.h"

#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { KEPT = 8, SIDES = 2, REGISTER = MX_LANES * sizeof(uint32_t) };

/* Those of one method and side. */
struct few {
	struct mx_kept *of[KEPT];
	unsigned last, oldest; /* found last, and loaded first */
};
struct all {
	struct few few[MX_KEPT_METHODS][SIDES];
};

struct side mx_side_of(const struct mx_mma_args *g, mx_side s) {
	unsigned block = mx_block_of(g), codes = block == MX_BLOCK ? MX_LANES : MX_SCALES;
	bool a = s == MX_SIDE_A;
	mx_format f = a ? g->fmt_a : g->fmt_b;
	return (struct side){
		.shape = g->shape,
		.format = f,
		.scales = a ? g->scale_format_a : g->scale_format_b,
		.block = block,
		.codes = codes,
		.registers = mx_operand_vgprs(f),
		.regs = a ? g->a : g->b,
		.scale = a ? g->scale_a : g->scale_b,
	};
}

/* ---- what a thread has ---- */

static once_flag made = ONCE_FLAG_INIT;
static tss_t key;
static bool has_key;

static void free_all(void *of_thread) {
	struct all *a = of_thread;
	for (unsigned m = 0; m < MX_KEPT_METHODS; m++)
		for (unsigned s = 0; s < SIDES; s++)
			for (unsigned i = 0; i < KEPT; i++)
				free(a->few[m][s].of[i]);
	free(a);
}

static void make_key(void) {
	has_key = tss_create(&key, free_all) == thrd_success;
}

static struct all *all_of_thread(void) {
	static _Thread_local struct all *mine;
	if (mine)
		return mine;
	call_once(&made, make_key);
	struct all *a = has_key ? calloc(1, sizeof *a) : NULL;
	if (a && tss_set(key, a) != thrd_success) {
		free(a);
		a = NULL;
	}
	return mine = a;
}

/* ---- a place ---- */

#if defined(__x86_64__)
#include "avx512.h"

/* Whether bytes are equal, a multiple of LINE. A register at a time, because others differ early.
 */
AVX512 static bool are_equal(const void *a, const void *b, size_t bytes) {
	const char *x = a, *y = b;
	for (size_t at = 0, end; at < bytes; at = end) {
		__m512i differ = _mm512_setzero_si512();
		end = bytes - at < REGISTER ? bytes : at + REGISTER;
		for (; at < end; at += LINE)
			differ = _mm512_or_si512(differ, _mm512_xor_si512(_mm512_loadu_si512(x + at),
			                                                  _mm512_loadu_si512(y + at)));
		if (_mm512_test_epi32_mask(differ, differ))
			return false;
	}
	return true;
}
#else
static bool are_equal(const void *a, const void *b, size_t bytes) {
	return !memcmp(a, b, bytes);
}
#endif

static bool is_same(const struct mx_kept *k, const struct side *o) {
	return k && k->loaded && k->side.shape == o->shape && k->side.format == o->format &&
	       k->side.scales == o->scales && k->side.block == o->block &&
	       are_equal(k->regs, o->regs, o->registers * sizeof *o->regs) &&
	       are_equal(k->scales, o->scale, o->codes);
}

static struct mx_kept *new_place(struct few *f) {
	struct mx_kept **place = &f->of[f->oldest];
	f->last = f->oldest;
	f->oldest = (f->oldest + 1) % KEPT;
	return *place ? *place : (*place = aligned_alloc(64, sizeof **place));
}

struct mx_kept *mx_kept_operand(mx_kept_method method, mx_side s, const struct side *o) {
	struct all *a = all_of_thread();
	if (!a)
		return NULL;
	struct few *f = &a->few[method][s];
	for (unsigned i = 0, at = f->last; i < KEPT; i++, at = (at + 1) % KEPT)
		if (is_same(f->of[at], o))
			return f->of[f->last = at];
	struct mx_kept *k = new_place(f);
	if (!k)
		return NULL;
	k->loaded = false;
	k->side = *o;
	memcpy(k->regs, o->regs, o->registers * sizeof *o->regs);
	memcpy(k->scales, o->scale, o->codes);
	return k;
}
