/* A bench on the emulator, from case file to verdict; verdicts; SNR. */
#include "../../oracle/bench.h"
#include "../../oracle/bench_inside.h"
#include "../../oracle/metrics.h"
#include "../tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct mx_device *emu;
static struct mx_error err;

/* A bench of one of the shipped kernels at a shape, and the case that it belongs to. */
struct subject {
	struct mx_case *c;
	struct mx_bench *b;
	struct mx_run_result r;
};

static struct subject start(struct mx_case *c, const char *co, int64_t M, int64_t N, int64_t K,
                            mx_regime regime) {
	struct subject s = { .c = c };
	struct mx_plan plan;
	char file[512], kernels[400];
	const char *build = getenv("BUILD");
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	snprintf(file, sizeof file, "%s/%s.co", kernels, co ? co : "");
	need(!mx_plan_make(s.c, M, N, K, regime, &plan, &err) &&
	             !mx_bench_make(&plan, emu, co ? file : NULL, kernels, 1, &s.b, &err) &&
	             !mx_bench_run(s.b, 1, &s.r, &err),
	     err.text);
	return s;
}

static struct subject subject(const char *co, int64_t M, int64_t N, int64_t K, mx_regime regime) {
	struct mx_case *c;
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &c, &err), err.text);
	return start(c, co, M, N, K, regime);
}

static void end(struct subject *s) {
	mx_bench_free(s->b);
	mx_case_free(s->c);
}

static struct mx_verdict verdict(struct subject *s) {
	struct mx_verdict v = { 0 };
	need(!mx_bench_judge(s->b, &s->r, &v, &err), err.text);
	return v;
}

/* Whether a verdict has exactly one note, of this kind and with this text. */
static bool only(const struct mx_verdict *v, const char *kind, const char *text) {
	if (v->n_notes == 1 && !strcmp(v->notes[0].kind, kind) && strstr(v->notes[0].text, text))
		return true;
	for (unsigned i = 0; i < v->n_notes; i++)
		diag("%s: %s", v->notes[i].kind, v->notes[i].text);
	return false;
}

/* The result of the last run in the buffer with a role, from its first valid byte. */
static uint8_t *left(struct subject *s, mx_role role) {
	for (unsigned i = 0; i < s->b->plan.n_buffers; i++)
		if (s->b->plan.buffers[i].role == role)
			return s->b->buffer[i].after + s->b->plan.buffers[i].guard;
	return NULL;
}

/* Marks bytes of C as unwritten, with their present values. */
static void unwrite(struct subject *s, size_t from, size_t bytes) {
	const struct mx_buffer *c = mx_plan_role(&s->b->plan, MX_ROLE_C);
	struct bench_buffer *buffer = &s->b->buffer[c - s->b->plan.buffers];
	memcpy(buffer->before + c->guard + from, buffer->after + c->guard + from, bytes);
	need(emu->emu->mark((uint8_t *)buffer->device + c->guard + from, bytes, 0), "mark");
}

/* ---- a correct run ---- */

static void test_pass(void) {
	struct subject s = subject(NULL, 33, 65, 288, MX_REGIME_GENERAL);
	struct mx_verdict v = verdict(&s);
	ok(!v.n_notes && mx_verdict_status(&v) == 0 && v.checked == 33 * 65 && v.wrong == 0,
	   "the shipped kernel passes, each of 33x65 elements checked");
	ok(v.snr_dequantised > 130 && v.snr_unquantised > 10 && v.snr_unquantised < 20,
	   "its SNR is that of f32 for dequantised data, of FP4 for unquantised data");
	ok(strstr(v.basis, "block32 (assumed)"), "a general verdict names the profile it assumes");
	uint64_t hash = mx_bench_hash(s.b);
	need(!mx_bench_run(s.b, 2, &s.r, &err), err.text);
	ok(mx_bench_hash(s.b) == hash && s.r.schedule == 2,
	   "another schedule leaves the same bytes");
	end(&s);
	s = subject(NULL, 33, 65, 288, MX_REGIME_EXACT);
	v = verdict(&s);
	ok(!v.n_notes && isinf(v.snr_dequantised) && isnan(v.snr_unquantised),
	   "in the exact regime there is no noise, and nothing was quantised");
	ok(strstr(v.basis, "exact regime") && !strstr(v.basis, "block32"),
	   "an exact verdict depends on no profile");
	end(&s);
}

/* ---- results of a faulty device: changes in the judged copy ---- */

static void test_outputs(void) {
	struct subject s = subject(NULL, 16, 16, 64, MX_REGIME_EXACT);
	uint8_t *c = left(&s, MX_ROLE_C);
	c[(3 * 16 + 5) * 4] ^= 1;
	struct mx_verdict v = verdict(&s);
	ok(only(&v, "wrong-bits", "C[3][5] is 0x") && v.wrong == 1 && mx_verdict_status(&v) == 1,
	   "one bit of one element is wrong-bits, with its place");
	c[(3 * 16 + 5) * 4] ^= 1;
	c[(7 * 16 + 1) * 4 + 3] ^= 0x80;
	c[(9 * 16) * 4 + 3] ^= 0x80;
	v = verdict(&s);
	ok(only(&v, "wrong-bits", "C[7][1]") && strstr(v.notes[0].text, "2 of 256 elements"),
	   "wrong signs are wrong-bits: the first is named, all are counted");
	memset(c + 64 * 4, MX_POISON, 4);
	unwrite(&s, 64 * 4, 4);
	c[(7 * 16 + 1) * 4 + 3] ^= 0x80;
	c[(9 * 16) * 4 + 3] ^= 0x80;
	v = verdict(&s);
	ok(only(&v, "not-written", "C[4][0] is 0xffffffff") &&
	           strstr(v.notes[0].text, "1 of 256 elements are wrong, 1 of them not written"),
	   "an element that still holds its poison is not-written");
	end(&s);
	s = subject(NULL, 16, 16, 64, MX_REGIME_EXACT);
	unwrite(&s, (5 * 16 + 2) * 4 + 3, 1);
	v = verdict(&s);
	ok(only(&v, "not-written", "C[5][2] is 0x"),
	   "so is one with an unwritten byte, although it holds the right value");
	end(&s);
}

static void test_zero_and_nan(void) {
	struct subject s = subject(NULL, 64, 64, 64, MX_REGIME_SPECIAL);
	struct mx_verdict v = verdict(&s);
	uint32_t *c = (uint32_t *)left(&s, MX_ROLE_C);
	unsigned nan = 0, zero = 0;
	while (nan < 4096 && (c[nan] & 0x7fffffff) <= 0x7f800000)
		nan++;
	ok(!v.n_notes && nan < 4096, "special data have a NaN in the output, and pass");
	c[nan] ^= 0x80000123;
	v = verdict(&s);
	ok(!v.n_notes, "sign and payload of a NaN do not matter");
	c[nan] = 0x7f800000;
	v = verdict(&s);
	ok(only(&v, "wrong-bits", "(inf), must be"), "infinity instead of NaN is wrong");
	end(&s);
	s = subject(NULL, 64, 64, 32, MX_REGIME_EXACT);
	c = (uint32_t *)left(&s, MX_ROLE_C);
	while (zero < 4095 && c[zero] << 1)
		zero++;
	need(c[zero] << 1 == 0, "no zero in 4096 outputs");
	c[zero] ^= 0x80000000;
	v = verdict(&s);
	ok(only(&v, "wrong-bits", "(-0), must be 0x00000000 (0)"), "-0 for 0 is wrong-bits");
	end(&s);
}

static void test_surroundings(void) {
	struct subject s = subject(NULL, 16, 16, 64, MX_REGIME_EXACT);
	uint8_t *c = left(&s, MX_ROLE_C), *a = left(&s, MX_ROLE_A), *sa = left(&s, MX_ROLE_A_SCALE);
	struct mx_verdict v;
	c[-1] ^= 1;
	v = verdict(&s);
	ok(only(&v, "guard-changed", "guard before the start of buffer C") &&
	           strstr(v.notes[0].text, "byte -1") && mx_verdict_status(&v) == 1,
	   "a byte before the output is guard-changed");
	c[5 * 4] ^= 1;
	v = verdict(&s);
	ok(v.n_notes == 2 && v.has_location && v.offset == -1,
	   "the first wrong place is before a wrong element");
	c[5 * 4] ^= 1;
	c[-1] ^= 1;
	c[16 * 16 * 4 + 77] ^= 1;
	v = verdict(&s);
	ok(only(&v, "guard-changed", "guard past the end of buffer C changed, first at byte 1101"),
	   "so is a byte after it");
	c[16 * 16 * 4 + 77] ^= 1;
	a[5] ^= 0x10;
	v = verdict(&s);
	ok(only(&v, "input-changed", "buffer A changed, first at byte 5"),
	   "a byte of an input is input-changed");
	a[5] ^= 0x10;
	sa[8 + 2] ^= 0x10;
	v = verdict(&s);
	ok(v.n_notes && !strcmp(v.notes[0].kind, "guard-changed") &&
	           strstr(v.notes[0].text, "padding of a line of buffer SA") &&
	           strstr(v.notes[0].text, "row 1"),
	   "a byte of a row's padding is guard-changed");
	end(&s);
}

static void test_pattern(void) {
	struct subject s = subject(NULL, 64, 64, 64, MX_REGIME_EXACT);
	uint8_t *c = left(&s, MX_ROLE_C);
	for (size_t col = 0; col < 64; col++)
		c[(33 * 64 + col) * 4 + 1] ^= (uint8_t)(1 + col);
	struct mx_verdict v = verdict(&s);
	ok(strstr(v.pattern, "rows: 1 of 64 holds all mismatches") && strstr(v.pattern, "row 33") &&
	           !v.diagnosis[0],
	   "noise in one row: the pattern is that row, and no diagnosis fits");
	ok(strstr(v.window, "[32][0..] got") && strstr(v.window, "[33][0..] want") &&
	           strchr(v.window, '*'),
	   "a window shows got and wanted around the first");
	end(&s);
	s = subject(NULL, 4, 2, 64, MX_REGIME_EXACT);
	left(&s, MX_ROLE_C)[1] ^= 1;
	v = verdict(&s);
	v.window[strcspn(v.window, "\n")] = 0;
	unsigned words = 0;
	for (char *word = strtok(v.window, " "); word; word = strtok(NULL, " "))
		words++;
	ok(words == 4, "of a product of two columns it shows two");
	end(&s);
}

static void test_bound(void) {
	struct subject s = subject(NULL, 33, 65, 1056, MX_REGIME_GENERAL);
	s.c->verdict.judge = MX_JUDGE_BOUND;
	struct mx_verdict v = verdict(&s);
	ok(!v.n_notes && v.bound_used > 0 && v.bound_used < 0.1 &&
	           strstr(v.basis, "bound of 0.000"),
	   "the shipped kernel is inside the bound, which is printed: %s", v.basis);
	((uint32_t *)left(&s, MX_ROLE_C))[70] ^= 1 << 22;
	v = verdict(&s);
	ok(only(&v, "out-of-bound", "C[1][5] is 0x") && v.bound_used > 1,
	   "a wrong element is out of bound");
	((uint32_t *)left(&s, MX_ROLE_C))[70] ^= 1 << 22;
	unwrite(&s, 71 * 4, 1);
	v = verdict(&s);
	ok(only(&v, "not-written", "C[1][6] is 0x"),
	   "an element inside it that was not written is not-written");
	end(&s);
}

static uint8_t *before_of_c(struct subject *s) {
	const struct mx_buffer *c = mx_plan_role(&s->b->plan, MX_ROLE_C);
	return s->b->buffer[c - s->b->plan.buffers].before + c->guard;
}

/* Splits of K that are added to the contents of C. */
static void test_set(void) {
	struct mx_case *c;
	need(!mx_case_load("cases/gemm/mxfp4_splitk4.yaml", &c, &err), err.text);
	char **data = &c->buffers[4].data, *zero = *data, random[] = "random";
	*data = random;
	struct subject s = start(c, NULL, 32, 32, 512, MX_REGIME_GENERAL);
	struct mx_verdict v = verdict(&s);
	ok(!v.n_notes && v.checked == 1024, "splits added to a C of any numbers pass");
	memset(before_of_c(&s), 0, 2 * 32 * 32);
	v = verdict(&s);
	ok(only(&v, "outside-set", "of 1024 elements are wrong"), "they do not if C was zero");
	mx_bench_free(s.b);
	*data = zero;
	s = start(c, NULL, 32, 32, 512, MX_REGIME_GENERAL);
	*data = NULL;
	memset(before_of_c(&s), MX_POISON, 2 * 32 * 32);
	v = verdict(&s);
	ok(!v.n_notes, "if a launch clears C, which is poison before, sums start at zero");
	*data = zero;
	end(&s);
}

/* ---- a product that is too large to be computed again: the threshold is 0 ---- */

static void test_large(void) {
	struct subject s = subject(NULL, 64, 80, 256, MX_REGIME_EXACT);
	s.b->most_work = 0;
	struct mx_verdict v = verdict(&s);
	ok(!v.n_notes && v.checked == 64 * 80 && strstr(v.basis, "Freivalds' check") &&
	           strstr(v.basis, "probability below 4.") && strstr(v.basis, "e-19"),
	   "a right product passes Freivalds' check, which names its error probability");
	ok(v.metrics.ulp[0] == 64 * 80, "  all of its elements have the bits that are wanted");
	uint32_t *c = (uint32_t *)left(&s, MX_ROLE_C);
	c[20 * 80 + 37] ^= 1u << 23;
	c[50 * 80 + 3] ^= 1u << 23;
	v = verdict(&s);
	bool tiles = v.n_notes == 2 && !strcmp(v.notes[0].kind, "wrong-tiles") &&
	             strstr(v.notes[0].text, "2 rows and 2 tiles of 16x16") &&
	             strstr(v.notes[0].text, "[16][32], [48][0]") &&
	             !strstr(v.notes[0].text, "...");
	ok(tiles && strstr(v.notes[1].text, "C[20][37] is 0x") &&
	           strstr(v.notes[1].text, "1 of 256 elements of its tile"),
	   "wrong tiles are listed, and elements of the first are computed exactly");
	if (!tiles)
		diag("%s; %s", v.notes[0].text, v.notes[1].text);
	size_t counted = v.metrics.no_distance;
	for (unsigned i = 0; i < MX_ULP_CLASSES; i++)
		counted += v.metrics.ulp[i];
	ok(counted == 256, "the distances are those of the elements of that tile");
	c[20 * 80 + 37] ^= 1u << 23;
	c[50 * 80 + 3] ^= 1u << 23;
	end(&s);
	s = subject(NULL, 64, 64, 32, MX_REGIME_EXACT);
	s.b->most_work = 0;
	c = (uint32_t *)left(&s, MX_ROLE_C);
	size_t zero = 0;
	while (zero < 4095 && c[zero] << 1)
		zero++;
	c[zero] = 0x80000000;
	v = verdict(&s);
	ok(only(&v, "wrong-bits", "(-0), must be 0x00000000 (0)"), "-0 for 0 is detected too");
	end(&s);
	s = subject(NULL, 64, 80, 256, MX_REGIME_EXACT);
	s.b->most_work = 0;
	unwrite(&s, (50 * 80 + 3) * 4, 2);
	v = verdict(&s);
	ok(only(&v, "not-written", "C[50][3] is 0x"),
	   "so is an unwritten element, although it holds the right value");
	end(&s);
}

/* ---- broken twins, and a device that failed ---- */

static void test_twins(void) {
	struct subject s = subject("broken/store_past_m", 129, 128, 256, MX_REGIME_EXACT);
	struct mx_verdict v = verdict(&s);
	unsigned writes = 0, guards = 0;
	for (unsigned i = 0; i < v.n_notes; i++) {
		writes += !strcmp(v.notes[i].kind, "out-of-bounds-write");
		guards += !strcmp(v.notes[i].kind, "guard-changed");
	}
	ok(writes == MX_NOTES_OF_A_KIND && guards == 1 && !v.wrong && mx_verdict_status(&v) == 1,
	   "store_past_m has right outputs, and its stores and the guard show it");
	end(&s);
	s = subject("broken/loose_wait", 128, 128, 1024, MX_REGIME_GENERAL);
	v = verdict(&s);
	ok(mx_verdict_status(&v) == 3, "loose_wait is detected in one run: unwritten LDS");
	end(&s);
}

static void test_failed_device(void) {
	struct subject s = subject(NULL, 16, 16, 64, MX_REGIME_EXACT);
	s.r.failed = true;
	snprintf(s.r.failure, sizeof s.r.failure, "the device fell over");
	struct mx_verdict v = verdict(&s);
	ok(only(&v, "fault", "the device fell over") && mx_verdict_status(&v) == 4 && !v.checked,
	   "after a failure of the device the verdict has only that failure");
	end(&s);
}

/* A launch of the same thread that no bench makes. */
static void test_after_bench(void) {
	const struct mx_geometry g = { { 1, 1, 1 }, { 256, 1, 1 }, 0 };
	const struct mx_around alone = { 0 };
	const uint8_t nothing[56] = { 0 }; /* M, N and K are 0 */
	struct subject s = subject("gemm/mxfp4_gemm", 16, 16, 64, MX_REGIME_EXACT);
	struct mx_module *m;
	struct mx_why why = { "" };
	uint64_t before = emu->emu->report()->stats.instructions;
	need(!mx_module_load(emu, mx_bench_code(s.b, 0), "mxfp4_gemm_f32", &m, &why), why.text);
	end(&s);
	ok(!mx_module_launch(m, &g, nothing, sizeof nothing, &alone, &why) && before == 0 &&
	           emu->emu->report()->stats.instructions > 0,
	   "a launch after a bench has a report of its own: %s", why.text);
	mx_module_unload(m);
}

static void test_bad_benches(void) {
	struct mx_case *c;
	struct mx_plan plan;
	struct mx_bench *b;
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &c, &err) &&
	             !mx_plan_make(c, 16, 16, 64, MX_REGIME_EXACT, &plan, &err),
	     err.text);
	ok(mx_bench_make(&plan, emu, NULL, "/no/such/folder", 1, &b, &err) == -1 &&
	           strstr(err.text, "neither beside the case nor in /no/such/folder"),
	   "without its code object there is no bench");
	ok(mx_bench_make(&plan, emu, "Makefile", "", 1, &b, &err) == -1 &&
	           strstr(err.text, "not a 64-bit little-endian ELF file"),
	   "nor with a file that is not a code object");
	char *profile = c->verdict.profile;
	c->verdict.profile = "block33";
	ok(mx_bench_make(&plan, emu, "Makefile", "", 1, &b, &err) == -1 &&
	           strstr(err.text, "no profile 'block33'"),
	   "nor with an unknown profile");
	c->verdict.profile = profile;
	mx_case_free(c);
	mx_bench_free(NULL);
}

/* ---- verdicts ---- */

static void test_verdicts(void) {
	struct mx_verdict v = { 0 };
	ok(mx_verdict_status(&v) == 0, "nothing wrong is status 0");
	mx_verdict_add(&v, MX_WRONG_NUMBERS, "wrong-bits", "here");
	int one = mx_verdict_status(&v);
	mx_verdict_add(&v, MX_WRONG_ORDER, "nondeterminism", "here");
	int three = mx_verdict_status(&v);
	mx_verdict_add(&v, MX_WRONG_DEVICE, "fault", "here");
	int four = mx_verdict_status(&v);
	mx_verdict_add(&v, MX_WRONG_NUMBERS, "wrong-bits", "there");
	ok(one == 1 && three == 3 && four == 4 && mx_verdict_status(&v) == 4,
	   "4 comes before 3 before 1");
	mx_verdict_add(&v, MX_WRONG_NUMBERS, "wrong-bits", "%s", "there");
	ok(v.n_notes == 4 && !v.notes[3].more, "the same note is kept once");
	for (int i = 0; i < 10; i++)
		mx_verdict_add(&v, MX_WRONG_NUMBERS, "wrong-bits", "place %d", i);
	ok(v.n_notes == 5 && v.notes[4].more == 9 && !strcmp(v.notes[4].text, "place 0"),
	   "three of a kind are kept, the others are counted");
	for (int i = 0; i < 2 * MX_MAX_NOTES; i++) {
		char kind[32];
		snprintf(kind, sizeof kind, "kind-%d", i);
		mx_verdict_add(&v, MX_WRONG_NUMBERS, kind, "here");
	}
	ok(v.n_notes == MX_MAX_NOTES, "no more than %d notes are kept", MX_MAX_NOTES);
}

/* Elements that do not belong together would have an SNR near 0. */
static void test_sampled_snr(void) {
	struct subject s = subject(NULL, 65, 130, 256, MX_REGIME_GENERAL);
	s.b->snr_work = 0x1p18;
	struct mx_verdict v = verdict(&s);
	ok(v.snr_rows > 1 && v.snr_cols > 1 && v.snr_rows * v.snr_cols * 256 <= 1 << 16,
	   "the SNR of a large product is that of a sample, %zux%zu elements", v.snr_rows,
	   v.snr_cols);
	ok(v.snr_dequantised > 130 && v.snr_unquantised > 10 && v.snr_unquantised < 20,
	   "  near that of all elements");
	end(&s);
}

static void test_snr(void) {
	const double ref[] = { 3, 4, NAN, INFINITY, 5 }, x[] = { 3, 4.5, 7, 7, NAN };
	ok(fabs(mx_snr(2, ref, x) - 20) < 1e-12, "noise of a hundredth of the power is 20 dB");
	ok(mx_snr(5, ref, x) == mx_snr(2, ref, x), "elements that are not finite are ignored");
	ok(isinf(mx_snr(1, ref, x)), "no noise is infinite");
	ok(isnan(mx_snr(0, ref, x)) && isnan(mx_snr(1, ref + 2, x)) &&
	           isnan(mx_snr(1, (double[]){ 0 }, x)),
	   "without a signal there is no SNR");
}

static void test_metrics(void) {
	/* 1, its neighbours by 1, 3 and 200, -0 for 0, NaN for NaN and for a number */
	const uint32_t ref[] = { 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,
		                 0,          0x7fc00000, 0x3f800000, 0x00000001 };
	const uint32_t x[] = { 0x3f800000, 0x3f800001, 0x3f7ffffd, 0x3f8000c8,
		               0x80000000, 0xffffffff, 0x7fc00000, 0x80000001 };
	struct mx_metrics m = { 0 };
	char text[320];
	mx_ulps(8, "FP32", ref, x, &m);
	mx_ulp_text(&m, text, sizeof text);
	ok(!strcmp(text, "0: 3, 1: 1, 2-3: 2, 128-255: 1, NaN or infinity on one side: 1; largest "
	                 "200"),
	   "distances in ULP: %s", text);
	const uint32_t a[] = { 0x3f80, 0x7f7f }, b[] = { 0x3f90, 0x7f80 };
	mx_ulps(2, "BF16", a, b, &m);
	ok(m.ulp[5] == 1 && m.no_distance == 1 && m.ulp_max == 16,
	   "distances of bf16 in ULP of bf16");
	const double want[] = { 3, 4, 0, 0, 1, NAN }, got[] = { 3, 4.5, 7, 7, 1.25, 2 };
	mx_row_error(3, 2, want, got, &m);
	ok(fabs(m.row_error - 0.25) < 1e-12 && m.row == 2,
	   "the worst row's relative error, without rows of zeros");
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	test_pass();
	test_outputs();
	test_zero_and_nan();
	test_surroundings();
	test_twins();
	test_failed_device();
	test_after_bench();
	test_bad_benches();
	test_verdicts();
	test_sampled_snr();
	test_snr();
	test_metrics();
	test_large();
	test_pattern();
	test_bound();
	test_set();
	mx_device_close(emu);
	return done_testing();
}
