/* Diagnoses if several hypotheses fit, or none fits all: every hypothesis that explains the wrong
 * elements is named, and one that explains a part has its percentage. */
#include "fault_scene.h"

enum { FP32 = MX_DT_F32, BF16 = MX_DT_BF16, FP16 = MX_DT_F16 };

/* ---- faults ---- */

static void last_scale_high(struct scene *s) {
	for (size_t r = 0; r < M; r++)
		s->a.scales[r * s->a.ld_scales + BLOCKS - 1]++;
	compute(s);
}

static void scale_low(struct scene *s) {
	for (size_t r = 0; r < N; r++)
		s->x.scales[r * s->x.ld_scales + 5]--;
	compute(s);
}

static void swap_rows(struct scene *s, size_t i, size_t j) {
	for (size_t c = 0; c < N; c++) {
		uint32_t t = s->out[i * N + c];
		s->out[i * N + c] = s->out[j * N + c];
		s->out[j * N + c] = t;
	}
}

static void rows_3_and_8(struct scene *s) {
	swap_rows(s, 3, 8);
}

static void rows_in_pairs(struct scene *s) {
	for (size_t r = 0; r < M; r += 2)
		swap_rows(s, r, r + 1);
}

static void rotate_rows(struct scene *s) {
	uint32_t first[N];
	memcpy(first, s->out, sizeof first);
	memmove(s->out, s->out + N, 2 * N * sizeof *s->out);
	memcpy(s->out + 2 * N, first, sizeof first);
}

static uint32_t sign_of(const struct scene *s) {
	return strcmp(s->output, "FP32") ? 0x8000 : 0x80000000u;
}

static uint32_t infinity_of(const struct scene *s) {
	return !strcmp(s->output, "FP32")   ? 0x7f800000
	       : !strcmp(s->output, "BF16") ? 0x7f80
	                                    : 0x7c00;
}

static void clamp(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		if ((s->out[i] & ~sign_of(s)) == infinity_of(s))
			s->out[i]--;
}

static void flush(struct scene *s) {
	uint32_t normal = !strcmp(s->output, "FP32")   ? 0x00800000
	                  : !strcmp(s->output, "BF16") ? 0x0080
	                                               : 0x0400;
	for (size_t i = 0; i < M * N; i++)
		if ((s->out[i] & ~sign_of(s)) < normal)
			s->out[i] &= sign_of(s);
}

static void cut(struct scene *s) {
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = rounded(s->output, EXACT_RTZ, s->acc[i]);
}

static void noise_in(struct scene *s, size_t from, size_t to) {
	uint32_t x = 1;
	for (size_t i = from; i < to; i++) {
		x = x * 1664525 + 1013904223;
		s->out[i] ^= 1 + (x >> 8) % 0x7fff;
	}
}

static void half_unwritten(struct scene *s) {
	memset(s->out, 0xff, 8 * N * sizeof *s->out);
	memset(s->unwritten, true, 8 * N * sizeof *s->unwritten);
	noise_in(s, 8 * N, 16 * N);
}

static void noise(struct scene *s) {
	noise_in(s, 0, M * N);
}

static void drop_in_upper_rows(struct scene *s) {
	for (size_t r = 0; r < 40; r++)
		memset(s->a.codes + r * s->a.ld + 7 * 16, 0, 16);
	compute(s);
}

static void update_lost_in_half(struct scene *s) {
	memset(s->out, 0, sizeof s->out);
	for (unsigned i = 0; i < s->b->plan.splits; i++)
		if (i != 2)
			add_split(s, i);
	for (size_t i = 0; i < M * N / 2; i++)
		s->out[i] = 0x4040;
}

/* ---- the table ---- */

struct diagnosed {
	const char *what;
	void (*inject)(struct scene *s);
	mx_judge judge;
	mx_regime data;
	int type;
	const char *has[3], *has_not;
};

#define BITS    MX_JUDGE_BITS
#define BOUND   MX_JUDGE_BOUND
#define SET     MX_JUDGE_SET
#define EXACT   MX_REGIME_EXACT
#define GENERAL MX_REGIME_GENERAL
#define SPECIAL MX_REGIME_SPECIAL

/* clang-format off */
static const struct diagnosed list[] = {
	{ "a scale one too high in the last block is also a block added twice", last_scale_high, BITS, EXACT, FP32,
	  { "block 27 of K were added twice", "scale of block 27 of K were one too high" }, "%" },
	{ "the bound does not distinguish these either", last_scale_high, BOUND, GENERAL, FP32,
	  { "block 27 of K were added twice", "scale of block 27 of K were one too high" }, "%" },
	{ "the profile's bits do: it rounds twice", last_scale_high, BITS, GENERAL, FP32,
	  { "scale of block 27 of K were one too high" }, "twice" },
	{ "a scale one too low", scale_low, BITS, GENERAL, FP32, { "scale of block 5 of K were one too low" }, "%" },
	{ "two exchanged rows are a half each", rows_3_and_8, BITS, GENERAL, FP32,
	  { "row of A +5 from its own (50 % of", "row of A -5 from its own (50 % of" }, NULL },
	{ "rows exchanged in pairs have one diagnosis", rows_in_pairs, BITS, GENERAL, FP32,
	  { "rows of A were exchanged: i and i ^ 1" }, "%" },
	{ "three rows that rotate are two thirds and one", rotate_rows, BITS, EXACT, BF16,
	  { "row of A +1 from its own (6", "(33 % of the wrong elements)" }, NULL },
	{ "f16 results clamped at 65504 are not cut off", clamp, BITS, SPECIAL, FP16,
	  { "results that overflow became the largest number" }, "cut off" },
	{ "neither are those of bf16", clamp, BITS, SPECIAL, BF16, { "results that overflow became the largest number" }, "cut off" },
	{ "results that are cut off are not clamped", cut, BITS, SPECIAL, FP16, { "truncated instead of rounded" }, "largest" },
	{ "f32 subnormals flushed", flush, BITS, SPECIAL, FP32, { "subnormal results were flushed" }, NULL },
	{ "bf16 subnormals flushed", flush, BITS, SPECIAL, BF16, { "subnormal results were flushed" }, NULL },
	{ "f16 subnormals flushed", flush, BITS, SPECIAL, FP16, { "subnormal results were flushed" }, "cut off" },
	{ "an unwritten part has its percentage", half_unwritten, BITS, GENERAL, FP32,
	  { "not written (50 % of the wrong elements)" }, NULL },
	{ "noise has no diagnosis", noise, BITS, GENERAL, BF16, { "" }, NULL },
	{ "a block dropped in some tiles is still found", drop_in_upper_rows, BITS, GENERAL, FP32,
	  { "block 7 of K were dropped" }, "%" },
	{ "an update that half of the wrong elements lost", update_lost_in_half, SET, GENERAL, BF16,
	  { "update of split 2 were lost (" }, NULL },
};
/* clang-format on */

static bool is_named(const struct diagnosed *d, const char *text) {
	for (size_t i = 0; i < 3 && d->has[i]; i++)
		if (*d->has[i] ? !strstr(text, d->has[i]) : *text != 0)
			return false;
	return !d->has_not || !strstr(text, d->has_not);
}

static void check(const struct diagnosed *d) {
	const char *file =
		d->judge == SET ? "cases/gemm/mxfp4_splitk4.yaml" : "cases/gemm/mxfp4_f32.yaml";
	struct scene *s = scene(file, d->judge, d->data, (mx_buffer_type)d->type);
	d->inject(s);
	struct mx_verdict v = judge(s);
	if (!ok(v.n_notes && is_named(d, v.diagnosis), "%s", d->what))
		diag("diagnosis: '%s'", v.diagnosis);
	end(s);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		check(&list[i]);
	mx_device_close(emu);
	return done_testing();
}
