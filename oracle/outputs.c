/* The outputs of a run, and what they say about the device. */
#include "outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/dtype.h"
#include "../cases/reference.h"
#include "location.h"
#include "product.h"

#define MOST_WORK 0x1p26 /* M N K of a product that is computed under each profile */

/* ---- keeping ---- */

static bool is_judged(const struct mx_bench *b, unsigned i) {
	const struct mx_buffer_spec *s = &b->plan.c->buffers[i];
	int slot = b->plan.c->reference ? reference_slot_of(b->plan.c, i) : -1;
	return b->plan.buffers[i].role == MX_ROLE_C || s->expect || s->of || s->recipe ||
	       (slot >= 0 && reference_slot_is_output((mx_slot)slot));
}

static size_t bytes_of(const struct mx_bench *b) {
	size_t n = 0;
	for (unsigned i = 0; i < b->plan.n_buffers && !b->plan.n_tiles; i++)
		if (is_judged(b, i))
			n += b->plan.buffers[i].lines * b->plan.buffers[i].line_bytes;
	return n;
}

static uint8_t *put_lines(const struct mx_bench *b, unsigned i, uint8_t *to) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const uint8_t *from = b->buffer[i].after + s->guard;
	for (size_t line = 0; line < s->lines; line++)
		for (size_t k = 0; k < s->line_bytes; k++)
			*to++ = from[mx_buffer_byte(s, line, k)];
	return to;
}

struct mx_outputs *mx_outputs_keep(const struct mx_bench *b) {
	size_t n = bytes_of(b);
	struct mx_outputs *kept = malloc(sizeof *kept + n);
	if (!kept)
		return NULL;
	kept->bytes = n;
	uint8_t *to = kept->at;
	for (unsigned i = 0; n && i < b->plan.n_buffers; i++)
		if (is_judged(b, i))
			to = put_lines(b, i, to);
	return kept;
}

/* ---- comparing ---- */

/* One of the outputs, from its first element. */
struct pair {
	const struct mx_buffer *s;
	uint64_t address;
	const uint8_t *is, *was;
	unsigned width;     /* bytes of an element; packed codes are compared as bytes */
	const char *format; /* of a floating-point number; or NULL */
};

static struct pair pair_of(const struct mx_bench *b, unsigned i, const uint8_t *is,
                           const uint8_t *was) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	return (struct pair){ s,
		              mx_bench_address(b, i),
		              is,
		              was,
		              dtype_is_format(s->type) ? 1 : (unsigned)dtype_bytes(s->type, 1),
		              s->type == MX_DT_F32    ? "FP32"
		              : s->type == MX_DT_BF16 ? "BF16"
		              : s->type == MX_DT_F16  ? "FP16"
		                                      : NULL };
}

static uint64_t code_at(const struct pair *p, const uint8_t *from, size_t i) {
	uint64_t code = 0;
	memcpy(&code, from + i * p->width, p->width);
	return code;
}

static void name_first(const struct mx_bench *b, const struct pair *p, size_t i,
                       struct mx_difference *d) {
	char where[160];
	size_t in_line = p->s->line_bytes / p->width;
	size_t at = mx_buffer_byte(p->s, i / in_line, i % in_line * p->width);
	int digits = 2 * (int)p->width;
	snprintf(d->first, sizeof d->first, "%s is 0x%0*" PRIx64 ", not 0x%0*" PRIx64,
	         mx_location_text(b, p->address + at, where), digits, code_at(p, p->is, i), digits,
	         code_at(p, p->was, i));
}

static void compare_element(const struct mx_bench *b, const struct pair *p, size_t i,
                            struct mx_difference *d) {
	struct mx_metrics m = { .ulp_max = 0 };
	uint32_t is = (uint32_t)code_at(p, p->is, i), was = (uint32_t)code_at(p, p->was, i);
	if (p->format && mx_code_same(p->format, is, was))
		return;
	if (p->format)
		mx_ulps(1, p->format, &was, &is, &m);
	d->no_distance += m.no_distance;
	d->ulp = m.ulp_max > d->ulp ? m.ulp_max : d->ulp;
	if (!d->differ++)
		name_first(b, p, i, d);
}

static size_t compare_output(const struct mx_bench *b, const struct pair *p,
                             struct mx_difference *d) {
	size_t bytes = p->s->lines * p->s->line_bytes, n = bytes / p->width;
	for (size_t i = 0; i < n; i++)
		if (memcmp(p->is + i * p->width, p->was + i * p->width, p->width))
			compare_element(b, p, i, d);
	d->elements += n;
	d->has_ulp &= p->format != NULL;
	return bytes;
}

void mx_outputs_compare(const struct mx_bench *b, const struct mx_outputs *is,
                        const struct mx_outputs *was, struct mx_difference *d) {
	*d = (struct mx_difference){ .has_ulp = true };
	if (is->bytes != was->bytes)
		return;
	for (size_t i = 0, at = 0; is->bytes && i < b->plan.n_buffers; i++)
		if (is_judged(b, (unsigned)i)) {
			const struct pair p = pair_of(b, (unsigned)i, is->at + at, was->at + at);
			at += compare_output(b, &p, d);
		}
}

/* ---- profiles ---- */

/* Of the written definitions in exact/exact.h. */
static const char *const profiles[MX_FITS] = { "block32", "fused", "fma32", "cdna3" };

static bool is_measurable(const struct mx_bench *b) {
	const struct mx_plan *p = &b->plan;
	return p->c->verdict.judge == MX_JUDGE_BITS && !p->c->reference && !p->groups.n &&
	       !p->n_tiles && !p->outside && p->regime != MX_REGIME_EXACT &&
	       (double)p->M * (double)p->N * (double)p->K <= MOST_WORK;
}

static int fit(const struct mx_bench *b, const struct mx_output *o, const char *profile,
               struct mx_fit_of_profile *f, struct mx_error *err) {
	size_t n = o->g.m * o->g.n;
	enum exact_status s = exact_profile(&o->g, profile, b->plan.c->verdict.mma_k, o->want);
	if (s != EXACT_OK)
		return mx_fail(err, "%s: %s", b->plan.c->path, exact_strerror(s));
	mx_output_finish(o, o->want);
	snprintf(f->name, sizeof f->name, "%s", profile);
	f->equal = 0;
	for (size_t i = 0; i < n; i++)
		f->equal += mx_code_same(o->format, o->got[i], o->want[i]);
	return 0;
}

static int by_equal(const void *a, const void *b) {
	const struct mx_fit_of_profile *x = a, *y = b;
	int order = (x->equal < y->equal) - (x->equal > y->equal);
	return order ? order : strcmp(x->name, y->name);
}

static int count_outside(struct mx_bench *b, struct mx_output *o, size_t *outside,
                         struct mx_error *err) {
	struct mx_verdict scratch = { 0 };
	int status = mx_judge_bound(b, o, &scratch, err);
	*outside = o->wrong;
	return status;
}

static int measure(struct mx_bench *b, struct mx_output *o, struct mx_measurement *m,
                   struct mx_error *err) {
	for (unsigned i = 0; i < MX_FITS; i++)
		if (fit(b, o, profiles[i], &m->fit[i], err))
			return -1;
	if (count_outside(b, o, &m->outside, err))
		return -1;
	qsort(m->fit, MX_FITS, sizeof *m->fit, by_equal);
	m->elements = o->g.m * o->g.n;
	return 0;
}

int mx_measure_profiles(struct mx_bench *b, struct mx_measurement *m, struct mx_error *err) {
	struct mx_output o;
	*m = (struct mx_measurement){ 0 };
	if (!is_measurable(b))
		return 0;
	int status = mx_output_read(b, &o, err);
	if (!status)
		status = measure(b, &o, m, err);
	mx_output_free(&o);
	return status;
}
