/* The output of mxcheck quant: the list of elements, and the summary of each recipe. */
#include "quant.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ref/num/f32.h"
#include "../cli/args.h"

/* ---- numbers of the input ---- */

static mx_f32 input_at(const struct mx_tensor *x, size_t r, size_t c) {
	const uint8_t *at = (const uint8_t *)x->data + (ptrdiff_t)r * x->row_bytes +
	                    (ptrdiff_t)c * x->col_bytes;
	mx_bf16 b;
	mx_f16 h;
	mx_f32 f;
	switch (x->dtype) {
	case MX_DTYPE_BF16: memcpy(&b, at, sizeof b); return mx_bf16_to_f32(b);
	case MX_DTYPE_F16: memcpy(&h, at, sizeof h); return mx_f16_to_f32(h);
	default: memcpy(&f, at, sizeof f); return f;
	}
}

/* The input of a part, read in memory order. */
static void inputs(const struct mx_quant_job *job, const struct mx_part *p, mx_f32 *out) {
	bool contiguous = job->x.dtype == MX_DTYPE_F32 && job->x.col_bytes == 4;
	for (size_t l = 0; !job->transposed && contiguous && l < p->lines; l++)
		memcpy(out + l * p->items,
		       (const uint8_t *)job->x.data + (ptrdiff_t)(p->line + l) * job->x.row_bytes +
		               4 * p->item,
		       4 * p->items);
	if (!job->transposed && contiguous)
		return;
	if (!job->transposed) {
		for (size_t l = 0; l < p->lines; l++)
			for (size_t i = 0; i < p->items; i++)
				out[l * p->items + i] = input_at(&job->x, p->line + l, p->item + i);
		return;
	}
	for (size_t i = 0; i < p->items; i++)
		for (size_t l = 0; l < p->lines; l++)
			out[l * p->items + i] = input_at(&job->x, p->item + i, p->line + l);
}

/* ---- the list ---- */

static void print_result(const struct mx_quant_job *job, const struct mx_quant *q, size_t line,
                         size_t item, mx_f32 x, bool alone) {
	struct mx_part block = { line, 1, item / 128 * 128, item % 128 + 1 };
	bool wide = mx_format_info(job->format)->bits > 4;
	mx_f32 value[128], y;
	char scale[16], text[32];
	q->method->values(job, q, &block, value);
	q->method->scale(q, line, item, scale);
	y = value[item % 128];
	printf(" %-5s 0x%0*X%s", scale, wide ? 2 : 1, mx_quant_code(job, q, line, item).v,
	       wide ? "" : " ");
	if (alone)
		printf("  0x%08X %-16s %.3g", y.v, mx_f32_text(y, text),
		       (double)mx_f32_float(y) - (double)mx_f32_float(x));
	else
		printf(" %-16s", mx_f32_text(y, text));
}

static void print_element(const struct mx_quant_job *job, const struct mx_quant *q, int n, size_t r,
                          size_t c) {
	mx_f32 x = input_at(&job->x, r, c);
	char at[48], text[32];
	snprintf(at, sizeof at, "[%zu][%zu]", r, c);
	printf("%-8s 0x%08X %-16s", at, x.v, mx_f32_text(x, text));
	for (int i = 0; i < n; i++)
		print_result(job, &q[i], job->transposed ? c : r, job->transposed ? r : c, x,
		             n == 1);
	putchar('\n');
}

void mx_quant_list(const struct mx_quant_job *job, const struct mx_quant *q, int n) {
	printf("%-8s %-10s %-16s", "", "input", "");
	if (n == 1)
		printf(" %-5s %-5s %-10s %-16s %s", "scale", "code", "value", "", "error");
	for (int i = 0; n > 1 && i < n; i++)
		printf(" %-27s", q[i].name);
	putchar('\n');
	for (size_t r = 0; r < job->x.rows; r++)
		for (size_t c = 0; c < job->x.cols; c++)
			print_element(job, q, n, r, c);
}

/* ---- the summary ---- */

struct totals {
	double signal, noise; /* sums of squares, of finite numbers that stay finite */
	double largest;       /* error */
	size_t row, col;      /* of the largest error */
	size_t clipped, lost, lost_finite, differ;
};

enum { LINES = 32, NUMBERS = 1 << 15, MOST_THREADS = 64 }; /* of a part: 128 KiB of each */

/* The sums of all parts, which the threads take one after the other. */
struct sums {
	const struct mx_quant_job *job;
	const struct mx_quant *q;
	int n;
	size_t lines, items, across, parts, next;
	double half_units;      /* the largest element in halves of its unit */
	bool is_largest[256];   /* by code */
	struct totals *of_part; /* n for each part, added in order */
	bool failed;
};

/* The codes of the largest finite magnitude, and that magnitude in halves of its unit. */
static void find_largest(struct sums *s) {
	mx_format f = s->job->format;
	unsigned sign = 1u << (mx_format_info(f)->bits - 1), code = sign - 1;
	while (mx_elem_unpack(f, (mx_elem){ code }).kind != MX_NUMBER)
		code--;
	s->is_largest[code] = s->is_largest[code | sign] = true;
	s->half_units = 2 * mx_elem_unpack(f, (mx_elem){ code }).sig;
}

static bool is_finite(mx_f32 x) {
	return (x.v & 0x7F800000) != 0x7F800000;
}

/* Whether x would round to a number above y, the largest element, in an unlimited range: a tie
 * goes to the even code. */
static bool is_clipped(const struct sums *s, const struct mx_quant *q, size_t line, size_t item,
                       double x, double y) {
	uint8_t code = mx_quant_code(s->job, q, line, item).v;
	return s->is_largest[code] && ((x - y) * s->half_units > y || code % 2);
}

/* One line of a part. */
static void add_line(const struct sums *s, const struct mx_quant *q, struct totals *t, size_t line,
                     size_t item, size_t n, const mx_f32 *in, const mx_f32 *out) {
	for (size_t i = 0; i < n; i++) {
		double x = (double)mx_f32_float(in[i]), y = (double)mx_f32_float(out[i]),
		       error = fabs(y - x);
		if (!is_finite(in[i]) || !is_finite(out[i])) {
			t->lost_finite += is_finite(in[i]);
			continue;
		}
		t->signal += x * x;
		t->noise += error * error;
		t->lost += y == 0 && x != 0;
		if ((fabs(x) - fabs(y)) * s->half_units >= fabs(y))
			t->clipped += is_clipped(s, q, line, item + i, fabs(x), fabs(y));
		if (error > t->largest) {
			t->largest = error;
			t->row = s->job->transposed ? item + i : line;
			t->col = s->job->transposed ? line : item + i;
		}
	}
}

static void add_part(const struct sums *s, size_t at, mx_f32 *buffer) {
	const struct mx_quant_job *job = s->job;
	mx_f32 *x = buffer, *first = x + NUMBERS, *other = first + NUMBERS;
	size_t line = at / s->across * s->lines, item = at % s->across * s->items;
	struct mx_part p = { line, job->lines - line < s->lines ? job->lines - line : s->lines,
		             item, job->items - item < s->items ? job->items - item : s->items };
	inputs(job, &p, x);
	for (int i = 0; i < s->n; i++) {
		mx_f32 *y = i ? other : first;
		struct totals *t = &s->of_part[at * s->n + i];
		s->q[i].method->values(job, &s->q[i], &p, y);
		for (size_t l = 0; l < p.lines; l++)
			add_line(s, &s->q[i], t, p.line + l, p.item, p.items, x + l * p.items,
			         y + l * p.items);
		for (size_t k = 0; i && k < p.lines * p.items; k++)
			t->differ += y[k].v != first[k].v;
	}
}

static void *take_parts(void *sums) {
	struct sums *s = sums;
	size_t at;
	mx_f32 *buffer = malloc((size_t)3 * NUMBERS * sizeof *buffer);
	while (buffer && (at = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->parts)
		add_part(s, at, buffer);
	free(buffer);
	if (!buffer)
		__atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

static void add_all(struct sums *s) {
	pthread_t thread[MOST_THREADS];
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned others = 0;
	while (others + 1 < MOST_THREADS && others + 1 < online && others + 1 < s->parts &&
	       !pthread_create(&thread[others], NULL, take_parts, s))
		others++;
	take_parts(s);
	while (others)
		pthread_join(thread[--others], NULL);
}

static struct totals total_of(const struct sums *s, int i) {
	struct totals all = { 0 };
	for (size_t at = 0; at < s->parts; at++) {
		const struct totals *t = &s->of_part[at * s->n + i];
		struct totals before = all;
		if (t->largest > before.largest)
			all = *t;
		all.largest = fmax(t->largest, before.largest);
		all.signal = before.signal + t->signal;
		all.noise = before.noise + t->noise;
		all.clipped = before.clipped + t->clipped;
		all.lost = before.lost + t->lost;
		all.lost_finite = before.lost_finite + t->lost_finite;
		all.differ = before.differ + t->differ;
	}
	return all;
}

static void print_head(const struct mx_quant_job *job, int n) {
	const char *type = job->x.dtype == MX_DTYPE_F32   ? "float32"
	                   : job->x.dtype == MX_DTYPE_F16 ? "float16"
	                                                  : "bfloat16";
	printf("%zu x %zu %s as %s, blocks along %s\n", job->x.rows, job->x.cols, type,
	       mx_format_info(job->format)->name, job->transposed ? "columns" : "rows");
	if (job->inexact)
		printf("%zu float64 numbers were rounded to float32 first\n", job->inexact);
	printf("%-20s %-9s %-11s %-11s %-11s %-15s %s\n", "recipe", "snr dB", "clipped", "to zero",
	       "not finite", n > 1 ? "unlike first" : "", "largest error");
}

static void print_totals(const struct mx_quant *q, const struct totals *t, bool several) {
	char snr[32] = "exact", differ[32] = "";
	if (t->noise > 0)
		snprintf(snr, sizeof snr, "%.2f", 10 * log10(t->signal / t->noise));
	if (several)
		snprintf(differ, sizeof differ, "%zu", t->differ);
	printf("%-20s %-9s %-11zu %-11zu %-11zu %-15s %.3g", q->name, snr, t->clipped, t->lost,
	       t->lost_finite, differ, t->largest);
	if (t->largest > 0)
		printf(" at [%zu][%zu]", t->row, t->col);
	putchar('\n');
}

int mx_quant_summary(const struct mx_quant_job *job, const struct mx_quant *q, int n,
                     struct mx_error *err) {
	struct sums s = { .job = job, .q = q, .n = n };
	find_largest(&s);
	s.lines = job->lines < LINES ? job->lines : LINES;
	s.items = NUMBERS / s.lines / 128 * 128;
	s.across = (job->items + s.items - 1) / s.items;
	s.parts = (job->lines + s.lines - 1) / s.lines * s.across;
	if (!(s.of_part = calloc(s.parts * n, sizeof *s.of_part)))
		return mx_fail(err, "out of memory");
	add_all(&s);
	if (!s.failed) {
		print_head(job, n);
		for (int i = 0; i < n; i++) {
			struct totals t = total_of(&s, i);
			print_totals(&q[i], &t, n > 1);
		}
	}
	free(s.of_part);
	return s.failed ? mx_fail(err, "out of memory") : 0;
}
