/* Judgement of a run: outputs, guards, inputs, and findings of the emulator. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cases/choice.h"
#include "epilogue.h"
#include "map.h"
#include "metrics.h"
#include "pattern.h"
#include "location.h"
#include "product.h"
#include "reference.h"
#include "values.h"

/* ---- references for SNR ---- */

#define WORTH_A_THREAD 0x1p24 /* M N K of a product */

static double *product_of(const struct exact_gemm *g, double *a, double *b) {
	double *d = malloc((g->m * g->n + 1) * sizeof *d);
	if (a && b && d)
		exact_dgemm_nt(g->m, g->n, g->k, a, b, d);
	free(a);
	free(b);
	return d;
}

static double *dequantised(const struct exact_operand *o, size_t rows, size_t k) {
	double *x = malloc((rows * k + 1) * sizeof *x);
	if (x)
		exact_dequantise(o, rows, k, x);
	return x;
}

/* `rows` rows of the unquantised A or B, `step` rows apart. */
static double *unquantised(const struct mx_bench *b, mx_role role, size_t rows, size_t step) {
	size_t k = (size_t)b->plan.K;
	double *x = malloc((rows * k + 1) * sizeof *x);
	float *row = malloc((k + 1) * sizeof *row);
	for (size_t i = 0; x && row && i < rows; i++) {
		mx_data_unquantised(&b->plan, &b->data, role, i * step, row);
		for (size_t j = 0; j < k; j++)
			x[i * k + j] = (double)row[j];
	}
	if (!row) {
		free(x);
		x = NULL;
	}
	free(row);
	return x;
}

/* The elements of a product that the SNR is of: every row_step-th row of every col_step-th column.
 * Odd steps reach every place of a tile. An epilogue has all of its elements. */
struct sample {
	size_t row_step, col_step, rows, cols;
};

static struct sample sample_of(const struct mx_bench *b, const struct exact_gemm *g) {
	struct sample s = { 1, 1, g->m, g->n };
	if (b->epilogue || (double)g->m * (double)g->n * (double)g->k <= b->snr_work)
		return s;
	while ((double)s.rows * (double)s.cols * (double)g->k > b->snr_work / 4 &&
	       (s.rows > 1 || s.cols > 1)) {
		size_t *step = s.rows > s.cols ? &s.row_step : &s.col_step;
		*step = 2 * *step + 1;
		s.rows = (g->m + s.row_step - 1) / s.row_step;
		s.cols = (g->n + s.col_step - 1) / s.col_step;
	}
	return s;
}

static struct exact_operand every(struct exact_operand o, size_t step) {
	o.ld *= step;
	o.ld_scales *= step;
	return o;
}

/* Atomics add to what C has before the launch. */
static void add_start(const struct mx_bench *b, const struct sample *s, double *x) {
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	const uint8_t *start = b->buffer[c - b->plan.buffers].before + c->guard;
	for (size_t i = 0; x && i < s->rows * s->cols; i++) {
		size_t row = i / s->cols * s->row_step, col = i % s->cols * s->col_step;
		x[i] += mx_value(c->type, start + mx_buffer_at(c, row, col), 0);
	}
}

/* The products of a sample. */
struct products {
	struct mx_bench *b;
	const struct sample *s;
	const struct exact_gemm *g;
};

/* 0: of the dequantised operands; 1: of the unquantised ones, if there are. */
static void make_product(void *context, size_t from, size_t to) {
	const struct products *p = context;
	const struct exact_gemm *g = p->g;
	struct mx_bench *b = p->b;
	if (from == 0)
		b->dequantised = product_of(g, dequantised(&g->a, g->m, g->k),
		                            dequantised(&g->b, g->n, g->k));
	if (to == 2 && mx_data_has_unquantised(&b->data))
		b->unquantised = product_of(g, unquantised(b, MX_ROLE_A, g->m, p->s->row_step),
		                            unquantised(b, MX_ROLE_B, g->n, p->s->col_step));
}

static int make_references(struct mx_bench *b, const struct exact_gemm *all, struct mx_error *err) {
	struct sample s = sample_of(b, all);
	struct exact_gemm g = *all;
	if (b->dequantised)
		return 0;
	if (b->epilogue && (double)g.m * (double)g.n * (double)g.k > b->most_work)
		return 0;
	g.m = s.rows, g.n = s.cols;
	g.a = every(all->a, s.row_step), g.b = every(all->b, s.col_step);
	bool large = (double)g.m * (double)g.n * (double)g.k > WORTH_A_THREAD;
	exact_parallel(large ? g.threads : 1, 2, 1, make_product, &(struct products){ b, &s, &g });
	if (!b->dequantised || (mx_data_has_unquantised(&b->data) && !b->unquantised))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	if (b->plan.c->verdict.judge == MX_JUDGE_SET &&
	    mx_buffer_is_filled(&b->plan, mx_plan_role(&b->plan, MX_ROLE_C))) {
		add_start(b, &s, b->dequantised);
		add_start(b, &s, b->unquantised);
	}
	if (b->epilogue)
		mx_epilogue_f64(b->epilogue, g.m, g.n, b->dequantised);
	if (b->epilogue && b->unquantised)
		mx_epilogue_f64(b->epilogue, g.m, g.n, b->unquantised);
	return 0;
}

/* ---- outputs ---- */

static int measure(const struct mx_bench *b, const struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err) {
	struct sample s = sample_of(b, &o->g);
	size_t n = s.rows * s.cols;
	if (!b->dequantised && !b->unquantised)
		return 0;
	double *out = malloc((n + 1) * sizeof *out);
	if (!out)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	for (size_t i = 0; i < n; i++)
		out[i] = mx_code_value(
			o->format,
			o->got[i / s.cols * s.row_step * o->g.n + i % s.cols * s.col_step]);
	if (b->dequantised) {
		v->snr_dequantised = mx_snr(n, b->dequantised, out);
		mx_row_error(s.rows, s.cols, b->dequantised, out, &v->metrics);
		v->metrics.row *= s.row_step;
	}
	if (b->unquantised)
		v->snr_unquantised = mx_snr(n, b->unquantised, out);
	v->snr_rows = n < o->g.m * o->g.n ? s.rows : 0;
	v->snr_cols = s.cols;
	free(out);
	return 0;
}

static int find_pattern(const struct mx_output *o, struct mx_verdict *v) {
	struct mx_mismatches mismatches = { o->g.m, o->g.n, o->wrong, o->differs };
	struct mx_fit fit;
	if (mx_pattern_fit(&mismatches, false, &fit))
		return -1;
	mx_pattern_text(&mismatches, &fit, v->pattern, sizeof v->pattern);
	free(fit.is_hit);
	return 0;
}

/* What is wrong with the elements that differ. */
static int explain(struct mx_bench *b, const struct mx_output *o, struct mx_verdict *v,
                   struct mx_error *err) {
	mx_judge judge = b->plan.c->verdict.judge;
	mx_window(o, v->window, sizeof v->window);
	if (find_pattern(o, v))
		return mx_fail(err, "%s: out of memory", b->plan.name);
	if (judge == MX_JUDGE_BITS || judge == MX_JUDGE_BOUND)
		mx_diagnose(b, o, judge == MX_JUDGE_BITS ? mx_bits_explains : mx_bound_explains,
		            v->diagnosis, sizeof v->diagnosis);
	return 0;
}

static int judge_codes(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                       struct mx_error *err) {
	mx_judge judge = b->plan.c->verdict.judge;
	return judge == MX_JUDGE_BITS    ? mx_judge_bits(b, o, v, err)
	       : judge == MX_JUDGE_CLOSE ? mx_judge_close(b, o, v, err)
	       : judge == MX_JUDGE_BOUND ? mx_judge_bound(b, o, v, err)
	                                 : mx_judge_set(b, o, v, err);
}

static int judge_output(struct mx_bench *b, struct mx_output *o, struct mx_verdict *v,
                        struct mx_error *err) {
	size_t n = o->g.m * o->g.n;
	if (make_references(b, &o->g, err) || measure(b, o, v, err) || judge_codes(b, o, v, err))
		return -1;
	size_t compared = o->g.m * o->g.n; /* of a large product that is wrong, a tile */
	mx_ulps(o->is_same ? 0 : compared, o->format, o->want, o->got, &v->metrics);
	v->metrics.ulp[0] += o->is_same ? compared : 0;
	v->checked = n;
	v->wrong = o->wrong;
	mx_map_make(b, o);
	return o->wrong ? explain(b, o, v, err) : 0;
}

/* Frees what the judgement of another tile has left. */
static void forget(struct mx_bench *b) {
	free(b->expected);
	free(b->range);
	b->expected = NULL;
	b->range = NULL;
}

static int judge_tile(struct mx_bench *b, const struct mx_tile *t, struct mx_verdict *v,
                      struct mx_error *err) {
	struct mx_output o;
	forget(b);
	int status = mx_output_read_tile(b, t, &o, err);
	if (!status)
		status = judge_codes(b, &o, v, err);
	if (!status) {
		bool first = o.wrong && !v->wrong;
		v->checked += o.g.m * o.g.n;
		v->wrong += o.wrong;
		if (first) {
			mx_ulps(o.g.m * o.g.n, o.format, o.want, o.got, &v->metrics);
			status = explain(b, &o, v, err);
		}
	}
	mx_output_free(&o);
	return status;
}

static int judge_tiles(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	const uint32_t *grid = b->plan.steps[0].grid;
	for (unsigned i = 0; i < b->plan.n_tiles; i++)
		if (judge_tile(b, &b->plan.tile[i], v, err))
			return -1;
	size_t n = strlen(v->basis);
	snprintf(v->basis + n, sizeof v->basis - n,
	         "; %u tile%s, %" PRIu64 " of %" PRIu64 " workgroups", b->plan.n_tiles,
	         b->plan.n_tiles == 1 ? "" : "s", b->options.n_workgroups,
	         (uint64_t)grid[0] * grid[1] * grid[2]);
	return 0;
}

static int judge_product(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	struct mx_output o;
	int status = mx_output_read(b, &o, err);
	if (!status)
		status = judge_output(b, &o, v, err);
	mx_output_free(&o);
	return status;
}

/* ---- buffers with an expected file ---- */

void mx_verdict_locate(struct mx_verdict *v, const struct mx_bench *b, const struct mx_buffer *s,
                       long long offset) {
	if (v->has_location)
		return;
	v->has_location = true;
	v->buffer = (unsigned)(s - b->plan.buffers);
	v->offset = offset;
}

/* Wrong bytes in the lines of a buffer. An unwritten byte is wrong, whatever its value. */
struct wrong_bytes {
	size_t wrong, unwritten, line, byte; /* line and byte of the first wrong one */
};

static struct wrong_bytes compare_lines(const struct mx_bench *b, unsigned i, const uint8_t *want) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	const uint8_t *got = b->buffer[i].after + s->guard,
		      *unwritten = b->buffer[i].unwritten + s->guard;
	struct wrong_bytes w = { 0 };
	for (size_t line = 0; line < s->lines; line++)
		for (size_t i = 0; i < s->line_bytes; i++) {
			size_t at = mx_buffer_byte(s, line, i);
			bool differs = got[at] != want[mx_buffer_data(s, line) + i];
			w.unwritten += unwritten[at];
			if ((unwritten[at] || differs) && w.wrong++ == 0)
				w.line = line, w.byte = i;
		}
	return w;
}

static void note_bytes(struct mx_bench *b, unsigned i, const struct wrong_bytes *w, uint8_t want,
                       struct mx_verdict *v) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	size_t first = mx_buffer_byte(s, w->line, w->byte), at = s->guard + first;
	char note[48] = "";
	if (w->unwritten)
		snprintf(note, sizeof note, ", %zu of them not written", w->unwritten);
	mx_verdict_locate(v, b, s, (long long)first);
	mx_verdict_add(v, MX_WRONG_NUMBERS,
	               b->buffer[i].unwritten[at] ? "not-written" : "wrong-bytes",
	               "%s: byte %zu (line %zu, byte %zu of it) is 0x%02x, must be 0x%02x; %zu of "
	               "%zu bytes are wrong%s",
	               s->name, first, w->line, w->byte, b->buffer[i].after[at], want, w->wrong,
	               s->lines * s->line_bytes, note);
}

/* Byte for byte: a .npy file does not define which NaNs are equal. */
static int judge_file(struct mx_bench *b, unsigned i, const char *file, struct mx_verdict *v,
                      struct mx_error *err) {
	const struct mx_buffer *s = &b->plan.buffers[i];
	uint8_t *want = malloc(s->data_bytes + 1);
	if (!want)
		return mx_fail(err, "%s: out of memory", b->plan.name);
	int status =
		mx_data_read(&b->plan, i, file, want, err) || mx_bench_pointers(b, i, want, err);
	if (!status) {
		struct wrong_bytes w = compare_lines(b, i, want);
		if (w.wrong) {
			note_bytes(b, i, &w, want[mx_buffer_data(s, w.line) + w.byte], v);
			mx_map_add_bytes(b, s, false, want);
		}
		v->checked += s->lines * s->line_bytes;
		v->wrong += w.wrong;
	}
	free(want);
	return status;
}

static int judge_expected(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	snprintf(v->basis, sizeof v->basis, "bytes of the files that the case expects");
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.c->buffers[i].expect &&
		    judge_file(b, i, b->plan.c->buffers[i].expect, v, err))
			return -1;
	return 0;
}

static bool has_expected(const struct mx_bench *b) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		if (b->plan.c->buffers[i].expect)
			return true;
	return false;
}

/* ---- everything else ---- */

static void report_change(const struct mx_bench *b, const struct mx_buffer *s, size_t at,
                          mx_severity severity, const char *kind, const char *where,
                          struct mx_verdict *v) {
	long long offset = (long long)at - (long long)s->guard;
	mx_verdict_locate(v, b, s, offset);
	mx_verdict_add(v, severity, kind,
	               "%s of buffer %s changed, first at byte %lld of its %zu (row %lld)", where,
	               s->name, offset, s->bytes, mx_buffer_line(s, offset));
}

/* The first byte in [from, to) that the run changed; `to` if none. */
static size_t changed(const struct bench_buffer *b, size_t from, size_t to) {
	if (!memcmp(b->before + from, b->after + from, to - from))
		return to;
	while (from < to && b->before[from] == b->after[from])
		from++;
	return from;
}

/* The same for bytes that must not be written: storing the same value counts as a change. */
static size_t touched(const struct bench_buffer *b, size_t from, size_t to) {
	if (from < to && changed(b, from, to) == to && !memchr(b->unwritten + from, 0, to - from))
		return to;
	while (from < to && b->unwritten[from] && b->before[from] == b->after[from])
		from++;
	return from;
}

static bool may_change(const struct mx_bench *b, const struct mx_buffer *s) {
	return s->role == MX_ROLE_C || s->role == MX_ROLE_NONE ||
	       mx_buffer_is_quantised(&b->plan, s);
}

/* The elements of an input in another buffer; the bytes between them are not its own. */
static void judge_input_lines(const struct mx_bench *bench, unsigned i, struct mx_verdict *v) {
	const struct mx_buffer *s = &bench->plan.buffers[i];
	for (size_t line = 0; !may_change(bench, s) && line < s->lines; line++)
		for (size_t k = 0; k < s->line_bytes; k++) {
			size_t at = mx_buffer_byte(s, line, k);
			if (changed(&bench->buffer[i], at, at + 1) > at)
				continue;
			report_change(bench, s, at, MX_WRONG_NUMBERS, "input-changed",
			              "an input byte", v);
			return;
		}
}

/* A buffer, and the verdict on bytes of it. */
struct bytes_of {
	const struct mx_bench *bench;
	unsigned i;
	struct mx_verdict *v;
};

static void judge_unused(void *context, size_t from, size_t bytes, bool guard) {
	const struct bytes_of *u = context;
	const struct mx_buffer *s = &u->bench->plan.buffers[u->i];
	const struct bench_buffer *b = &u->bench->buffer[u->i];
	bool inside = guard && from >= s->guard && from < s->guard + s->bytes;
	size_t at = inside ? touched(b, from, from + bytes) : 0;
	if (inside && at < from + bytes)
		report_change(u->bench, s, at, MX_WRONG_NUMBERS, "guard-changed",
		              "a byte that no buffer uses", u->v);
}

/* What tiles use of an input. */
static void judge_used(void *context, size_t from, size_t bytes) {
	const struct bytes_of *u = context;
	const struct mx_buffer *s = &u->bench->plan.buffers[u->i];
	size_t end = s->guard + from + bytes;
	size_t at = changed(&u->bench->buffer[u->i], s->guard + from, end);
	if (!may_change(u->bench, s) && at < end)
		report_change(u->bench, s, at, MX_WRONG_NUMBERS, "input-changed", "an input byte",
		              u->v);
}

static void judge_guards(const struct mx_bench *bench, unsigned i, struct mx_verdict *v) {
	const struct mx_buffer *s = &bench->plan.buffers[i];
	const struct bench_buffer *b = &bench->buffer[i];
	size_t end = s->guard + s->bytes, at;
	if ((at = touched(b, 0, s->guard)) < s->guard)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed",
		              "guard before the start", v);
	if ((at = touched(b, end, b->bytes)) < b->bytes)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed", "guard past the end",
		              v);
	if (s->in >= 0) {
		judge_input_lines(bench, i, v);
		return;
	}
	if (mx_tiles_divide(&bench->plan, i)) {
		mx_tiles_bytes(&bench->plan, i, judge_used, &(struct bytes_of){ bench, i, v });
		return;
	}
	if (mx_buffer_holds_others(&bench->plan, i))
		mx_poisoned(&bench->plan, i, judge_unused, &(struct bytes_of){ bench, i, v });
	for (size_t r = 0, from, to; r < s->lines; r++)
		if (mx_buffer_padding(s, r, &from, &to) &&
		    (at = touched(b, s->guard + from, s->guard + to)) < s->guard + to) {
			report_change(bench, s, at, MX_WRONG_NUMBERS, "guard-changed",
			              "padding of a line", v);
			break;
		}
	if (!may_change(bench, s) && (at = changed(b, s->guard, end)) < end)
		report_change(bench, s, at, MX_WRONG_NUMBERS, "input-changed", "an input byte", v);
}

/* Outside its contract a kernel must end and stay inside its buffers, no more. */
static mx_action action_for(const struct mx_plan *p, mx_finding_kind k) {
	const struct mx_race_actions *races = &p->c->races;
	mx_action a = MX_FAILS;
	mx_finding_class class = mx_finding_class_of(k);
	if (p->outside && (class == MX_FINDING_ORDER || class == MX_FINDING_LATENCY))
		return MX_IS_IGNORED;
	if (class == MX_FINDING_LATENCY)
		a = races->latency ? races->latency : MX_IS_REPORTED;
	else if (mx_finding_is_race(k) && races->unordered)
		a = races->unordered;
	return a;
}

mx_severity mx_finding_severity(mx_finding_kind k) {
	static const mx_severity severity[] = { [MX_FINDING_NUMBERS] = MX_WRONG_NUMBERS,
		                                [MX_FINDING_ORDER] = MX_WRONG_ORDER,
		                                [MX_FINDING_LATENCY] = MX_WRONG_ORDER,
		                                [MX_FINDING_DEVICE] = MX_WRONG_DEVICE,
		                                [MX_FINDING_NOTE] = MX_NOT_WRONG };
	return severity[mx_finding_class_of(k)];
}

static void note_race(const struct mx_bench *b, const struct mx_finding *f, struct mx_verdict *v) {
	if (v->race_location[0])
		return;
	if (f->kind == MX_RACE_LDS || f->kind == MX_RACE_LDS_LATENCY)
		snprintf(v->race_location, sizeof v->race_location, "lds:%" PRIu64, f->address);
	else if (f->kind == MX_RACE_GLOBAL)
		mx_location_option(b, f->address, v->race_location);
}

static struct mx_note_place place_of(unsigned step, const struct mx_finding *f) {
	struct mx_note_place p = { .known = true,
		                   .step = step,
		                   .is_race = mx_finding_is_race(f->kind),
		                   .pc = f->pc,
		                   .earlier = f->earlier,
		                   .wave = f->wave,
		                   .lane = f->lane,
		                   .earlier_elsewhere = f->earlier_elsewhere,
		                   .earlier_wave = f->earlier_wave };
	memcpy(p.workgroup, f->workgroup, sizeof p.workgroup);
	memcpy(p.earlier_workgroup, f->earlier_workgroup, sizeof p.earlier_workgroup);
	return p;
}

static void add_group(const struct mx_bench *b, unsigned step, const struct mx_finding *f,
                      const struct mx_finding_group *g, struct mx_verdict *v) {
	char lane[24] = "", location[160] = "", text[512], more[200], in[32] = "";
	bool fails = action_for(&b->plan, f->kind) == MX_FAILS;
	if (f->lane >= 0)
		snprintf(lane, sizeof lane, " lane %d", f->lane);
	if (b->plan.n_steps > 1)
		snprintf(in, sizeof in, " step %u,", step + 1);
	bool named = mx_location_in_buffer(b, f->address, location);
	const struct mx_report *r = &b->step[step].report;
	struct mx_note n = { .severity = fails ? mx_finding_severity(f->kind) : MX_REPORTED,
		             .place = place_of(step, f) };
	snprintf(n.kind, sizeof n.kind, "%s", mx_finding_name(f->kind));
	snprintf(n.text, sizeof n.text, "%s%s%s;%s workgroup %u,%u,%u wave %u%s%s%s",
	         mx_finding_text(r, f, text, sizeof text), named ? "; " : "", location, in,
	         f->workgroup[0], f->workgroup[1], f->workgroup[2], f->wave, lane,
	         f->count > 1 ? ", and again" : "", mx_group_text(r->isa, g, more, sizeof more));
	mx_verdict_add_note(v, &n);
}

/* Whether the case accepts a finding; waivers are counted. */
static bool is_accepted(const struct mx_bench *b, unsigned step, const struct mx_finding *f,
                        struct mx_verdict *v) {
	char text[512];
	const struct mx_waiver *waiver = mx_waived(b, step, f);
	if (waiver)
		mx_verdict_add(v, MX_NOT_WRONG, "waived", "%s",
		               mx_waiver_text(waiver, text, sizeof text));
	return waiver || action_for(&b->plan, f->kind) == MX_IS_IGNORED;
}

/* Notes are not grouped: their number counts. */
static void add_findings(const struct mx_bench *b, unsigned step, struct mx_finding *kept,
                         struct mx_finding_group *groups, struct mx_verdict *v) {
	const struct mx_report *r = &b->step[step].report;
	const struct mx_finding_group single = { .others = 0 };
	size_t n = 0;
	for (size_t i = 0; i < r->n_findings; i++)
		if (!is_accepted(b, step, &r->findings[i], v)) {
			note_race(b, &r->findings[i], v);
			kept[n++] = r->findings[i];
		}
	size_t n_groups = mx_group_findings(kept, n, groups);
	for (size_t k = 0; k < n_groups; k++)
		if (mx_finding_class_of(kept[groups[k].first].kind) != MX_FINDING_NOTE)
			add_group(b, step, &kept[groups[k].first], &groups[k], v);
	for (size_t i = 0; i < n; i++)
		if (mx_finding_class_of(kept[i].kind) == MX_FINDING_NOTE)
			add_group(b, step, &kept[i], &single, v);
}

static void add_step(const struct mx_bench *b, unsigned step, struct mx_verdict *v) {
	const struct mx_report *r = &b->step[step].report;
	struct mx_finding *kept = malloc((r->n_findings + 1) * sizeof *kept);
	struct mx_finding_group *groups = malloc((r->n_findings + 1) * sizeof *groups);
	if (kept && groups)
		add_findings(b, step, kept, groups, v);
	else
		mx_verdict_add(v, MX_WRONG_DEVICE, "fault", "out of memory");
	free(kept);
	free(groups);
}

void mx_bench_device_findings(const struct mx_bench *b, struct mx_verdict *v) {
	for (unsigned i = 0; i < b->plan.n_steps; i++)
		if (b->step[i].report.n_findings)
			add_step(b, i, v);
}

/* The steps of a stream are ordered, so the order of a run is proved if that of each step is. */
void mx_bench_order(const struct mx_bench *b, struct mx_verdict *v) {
	v->proof = b->step[0].report.proof;
	for (unsigned i = 0; b->plan.n_steps > 1 && i < b->plan.n_steps; i++) {
		const struct mx_proof *p = &b->step[i].report.proof;
		if (p->outcome == MX_NOT_PROVED) {
			v->proof = *p;
			mx_kernel_short_name(b->plan.steps[i].kernel, v->doubted_kernel,
			                     sizeof v->doubted_kernel);
			return;
		}
		if (p->outcome == MX_NOT_ANALYSED)
			v->proof.outcome = MX_NOT_ANALYSED;
		v->proof.assumptions |= p->assumptions;
	}
}

static int judge_by_case(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	const struct mx_plan *p = &b->plan;
	mx_judge judge = p->c->verdict.judge;
	if (judge == MX_JUDGE_REPACK)
		return mx_judge_repack(b, v, err);
	if (judge == MX_JUDGE_EXPECT)
		return judge_expected(b, v, err);
	if (p->c->reference)
		return mx_judge_reference(b, v, err);
	if (judge == MX_JUDGE_CLOSE && has_expected(b))
		return mx_judge_close_files(b, v, err);
	if (p->n_tiles)
		return judge_tiles(b, v, err);
	if (p->groups.n)
		return mx_judge_groups(b, v, err);
	if (!mx_plan_role(p, MX_ROLE_C) || !mx_plan_role(p, MX_ROLE_A) ||
	    !mx_plan_role(p, MX_ROLE_B))
		return mx_fail(err, "%s: this judge needs buffers of the roles a, b and c",
		               p->c->path);
	return judge_product(b, v, err);
}

/* The recipes of operands that the kernels quantise are part of what is compared. */
static void add_recipes(const struct mx_bench *b, struct mx_verdict *v) {
	for (unsigned i = 0; i < b->plan.n_buffers; i++) {
		const struct mx_buffer_spec *s = &b->plan.c->buffers[i];
		size_t n = strlen(v->basis);
		if (s->recipe)
			snprintf(v->basis + n, sizeof v->basis - n, "; %s quantised by %s", s->name,
			         choice_text(b->plan.c, &b->plan.sizes, s->name, "recipe",
			                     s->recipe));
	}
}

static int judge_numbers(struct mx_bench *b, struct mx_verdict *v, struct mx_error *err) {
	mx_judge judge = b->plan.c->verdict.judge;
	if (!b->plan.outside && judge != MX_JUDGE_REPACK && mx_judge_made(b, v, err))
		return -1;
	if (!b->plan.outside && judge != MX_JUDGE_NONE) {
		int status = judge_by_case(b, v, err);
		add_recipes(b, v);
		return status;
	}
	snprintf(v->basis, sizeof v->basis, "no verdict on numbers%s",
	         b->plan.outside ? ": outside the contract" : "");
	return 0;
}

int mx_bench_judge(struct mx_bench *b, const struct mx_run_result *r, struct mx_verdict *v,
                   struct mx_error *err) {
	free(b->maps);
	b->maps = NULL;
	mx_bench_device_findings(b, v);
	mx_bench_order(b, v);
	if (r->failed) {
		if (mx_verdict_status(v) != MX_WRONG_DEVICE)
			mx_verdict_add(v, MX_WRONG_DEVICE, r->late ? "time-out" : "fault", "%s",
			               r->failure);
		return 0;
	}
	int status = mx_unwritten_find(b, r, v, err);
	if (status)
		return status < 0 ? -1 : 0;
	for (unsigned i = 0; i < b->plan.n_buffers; i++)
		judge_guards(b, i, v);
	v->snr_dequantised = v->snr_unquantised = NAN;
	return judge_numbers(b, v, err);
}
