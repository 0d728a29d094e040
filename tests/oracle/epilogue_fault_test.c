/* Epilogues of kernels and faults in them, each in an otherwise right result, against the judges:
 * right results pass, faults are flagged and named. The host's arithmetic gives the right
 * results. */
#include "../../oracle/epilogue.h"
#include "fault_scene.h"

enum { FP32, BF16, FP16 };
enum { EXACT = 1, PROFILE = 2, BOUND = 4, ALL = 7 };

static const char *const judges[] = { "exact", "profile", "bound" };

/* ---- one element, by its terms ---- */

struct element {
	float acc, alpha, beta, c, bias, bias_of_row;
};

static uint32_t bits(float x) {
	uint32_t u;
	memcpy(&u, &x, sizeof u);
	return u;
}

static float through(const char *format, float x) {
	return value(format, rounded(format, EXACT_RNE, bits(x)));
}

static float right(const struct element *e) {
	volatile float x = e->alpha * e->acc;
	return fmaf(e->beta, e->c, x) + e->bias;
}

#define CHANGED(name, member, to)                                                                  \
	static float name(const struct element *e) {                                               \
		struct element x = *e;                                                             \
		x.member = to;                                                                     \
		return right(&x);                                                                  \
	}
CHANGED(bias_of_row, bias, e->bias_of_row)
CHANGED(no_bias, bias, 0)
CHANGED(no_beta, beta, 0)
CHANGED(beta_one, beta, 1)
CHANGED(no_alpha, alpha, 1)
CHANGED(acc_bf16, acc, through("BF16", e->acc))
CHANGED(acc_f16, acc, through("FP16", e->acc))

static float bias_twice(const struct element *e) {
	return right(e) + e->bias;
}

static float bias_scaled(const struct element *e) {
	struct element x = *e;
	x.acc += e->bias;
	x.bias = 0;
	return right(&x);
}

static float exchanged(const struct element *e) {
	struct element x = *e;
	x.alpha = e->beta;
	x.beta = e->alpha;
	return right(&x);
}

static float product_alone(const struct element *e) {
	return e->acc;
}

static float product_bf16(const struct element *e) {
	return fmaf(e->beta, e->c, through("BF16", e->alpha * e->acc)) + e->bias;
}

static float sum_bf16(const struct element *e) {
	return through("BF16", no_bias(e)) + e->bias;
}

/* Exchanges the term that is rounded first with the one that is not. */
static float fma_alpha(const struct element *e) {
	volatile float y = e->beta * e->c;
	return fmaf(e->alpha, e->acc, y) + e->bias;
}

/* ---- scenes ---- */

static float number_at(const struct scene *s, mx_role role, size_t row, size_t col) {
	const struct mx_plan *p = &s->b->plan;
	const struct mx_buffer *b = mx_plan_role(p, role);
	uint32_t code = 0;
	memcpy(&code, s->b->data.bytes[b - p->buffers] + mx_buffer_at(b, row, col),
	       b->type == MX_DT_F32 ? 4 : 2);
	return value(b->type == MX_DT_F32 ? "FP32" : b->type == MX_DT_BF16 ? "BF16" : "FP16", code);
}

static struct element element_of(const struct scene *s, size_t row, size_t col) {
	bool in_place = !mx_plan_role(&s->b->plan, MX_ROLE_C_IN);
	return (struct element){
		value("FP32", s->acc[row * N + col]),
		s->b->plan.epilogue.alpha,
		s->b->plan.epilogue.beta,
		number_at(s, in_place ? MX_ROLE_C : MX_ROLE_C_IN, row, col),
		number_at(s, MX_ROLE_BIAS_COLS, 0, col),
		row < N ? number_at(s, MX_ROLE_BIAS_COLS, 0, row) : 0,
	};
}

/* The output of a kernel that computes each element by this function. */
static void launch(struct scene *s, float (*kernel)(const struct element *e)) {
	for (size_t i = 0; i < M * N; i++) {
		struct element e = element_of(s, i / N, i % N);
		s->out[i] = rounded(s->output, EXACT_RNE, bits(kernel(&e)));
	}
}

enum { USUAL, BETA_IS_0, FILES };
static const char *const files[] = { "cases/gemm/mxfp8_epilogue.yaml",
	                             "cases/gemm/mxfp8_epilogue0.yaml" };

static struct scene *new_scene(unsigned file, unsigned j, unsigned type) {
	static const mx_buffer_type types[] = { MX_DT_F32, MX_DT_BF16, MX_DT_F16 };
	return scene(files[file], j == 2 ? MX_JUDGE_BOUND : MX_JUDGE_BITS,
	             j ? MX_REGIME_GENERAL : MX_REGIME_EXACT, types[type]);
}

/* Made once, because computing the right results takes longer than comparing them. */
static struct scene *scenes[FILES * 3 * 3];

static struct scene *scene_of(unsigned file, unsigned j, unsigned type) {
	struct scene **s = &scenes[(file * 3 + j) * 3 + type];
	return *s ? *s : (*s = new_scene(file, j, type));
}

/* ---- right epilogues ---- */

static float without_c(const struct element *e) {
	volatile float x = e->alpha * e->acc;
	return x + e->bias;
}

static void right_ones(void) {
	static const char *const names[] = { "f32", "bf16", "f16" };
	for (unsigned type = 0; type < 3; type++)
		for (unsigned j = 0; j < 3; j++) {
			struct scene *s = scene_of(USUAL, j, type);
			launch(s, right);
			struct mx_verdict v = judge(s);
			bool noisy = j || type;
			if (!ok(!v.n_notes && v.checked == M * N &&
			                isinf(v.snr_dequantised) == !noisy &&
			                v.snr_dequantised > 40,
			        "%s, judge %s: a right epilogue passes, SNR %.1f", names[type],
			        judges[j], v.snr_dequantised))
				diag("%s", v.notes[0].text);
			s = scene_of(BETA_IS_0, j, BF16);
			launch(s, without_c);
			v = judge(s);
			if (!ok(!v.n_notes, "... and one without C, if beta is 0"))
				diag("%s", v.notes[0].text);
		}
}

/* ---- wrong epilogues ---- */

static const struct fault {
	const char *what;
	float (*kernel)(const struct element *e);
	unsigned type, must;
	const char *diagnosis;
	unsigned file;
} faults[] = {
	{ "bias of a row for one of a column", bias_of_row, BF16, ALL, "one of rows", USUAL },
	{ "the same in f32", bias_of_row, FP32, ALL, "one of rows", USUAL },
	{ "bias missing", no_bias, FP16, ALL, "bias were not added", USUAL },
	{ "bias added twice", bias_twice, BF16, ALL, "bias were added twice", USUAL },
	{ "bias before scaling", bias_scaled, BF16, ALL, "alpha (acc + bias)", USUAL },
	{ "beta term missing", no_beta, BF16, ALL, "beta C were not added", USUAL },
	{ "beta taken for 1", beta_one, BF16, ALL, "beta were 1", USUAL },
	{ "alpha missing", no_alpha, BF16, ALL, "alpha were 1", USUAL },
	{ "alpha missing, of an output in f16", no_alpha, FP16, ALL, "alpha were 1", USUAL },
	{ "alpha and beta exchanged", exchanged, BF16, ALL, "exchanged", USUAL },
	{ "no epilogue", product_alone, FP32, ALL, "the product alone", USUAL },
	{ "accumulator in bf16", acc_bf16, BF16, ALL, "accumulator became bf16", USUAL },
	{ "accumulator in f16", acc_f16, FP32, ALL, "accumulator became f16", USUAL },
	{ "scaled product in bf16", product_bf16, FP32, ALL, "alpha acc became bf16", USUAL },
	{ "sum in bf16 before the bias", sum_bf16, BF16, ALL, "before the bias", USUAL },
	{ "another order", fma_alpha, FP32, PROFILE, "order were fma_alpha", USUAL },
	{ "NaN times a beta of 0", right, BF16, ALL, "although beta is 0", BETA_IS_0 },
};

static void try(const struct fault *f, unsigned j) {
	struct scene *s = scene_of(f->file, j, f->type);
	launch(s, f->kernel);
	struct mx_verdict v = judge(s);
	bool must = f->must & 1u << j;
	if (!ok((v.n_notes > 0) == must, "%s: judge %s %s it", f->what, judges[j],
	        must ? "flags" : "passes"))
		diag("basis %s", v.basis);
	if (must && j < 2) /* the judge by a bound has no accumulator to start from */
		ok(strstr(v.diagnosis, f->diagnosis) != NULL, "... diagnosis '%s'", v.diagnosis);
}

/* Faults of operands are still detected after an epilogue. */
static void operands(void) {
	struct scene *s = new_scene(USUAL, 1, BF16);
	for (size_t r = 0; r < M; r++) {
		memset(s->a.codes + r * s->a.ld + 7 * 32, 0, 32);
		s->a.scales[r * s->a.ld_scales + 7] = 127;
	}
	compute(s);
	launch(s, right);
	struct mx_verdict v = judge(s);
	ok(v.n_notes && strstr(v.diagnosis, "block 7 of K were dropped"),
	   "a block dropped before an epilogue: diagnosis '%s'", v.diagnosis);
	launch(s, product_alone);
	for (size_t i = 0; i < M * N; i++)
		s->out[i] = 0xffff;
	memset(s->unwritten, true, sizeof s->unwritten);
	v = judge(s);
	ok(v.n_notes && !strcmp(v.notes[0].kind, "not-written") &&
	           strstr(v.diagnosis, "not written"),
	   "an unwritten output is named");
	end(s);
	s = scene_of(USUAL, 1, BF16);
	for (size_t i = 0; i < M * N; i++) {
		struct element e = element_of(s, i / N, i % N);
		s->out[i] = rounded("BF16", EXACT_RTZ, bits(right(&e)));
	}
	v = judge(s);
	ok(v.n_notes && strstr(v.diagnosis, "truncated instead of rounded"),
	   "a truncation after an epilogue: diagnosis '%s'", v.diagnosis);
}

static void without_a_bias(void) {
	struct scene *s = new_scene(USUAL, 0, BF16);
	const uint32_t *bias = s->b->epilogue->bias;
	s->b->epilogue->bias = NULL;
	launch(s, no_bias);
	struct mx_verdict v = judge(s);
	ok(!v.n_notes, "an epilogue without a bias passes");
	launch(s, product_alone);
	v = judge(s);
	ok(v.n_notes && strstr(v.diagnosis, "the product alone"),
	   "and its fault is named: diagnosis '%s'", v.diagnosis);
	s->b->epilogue->bias = bias;
	end(s);
}

/* The judge uses the order of the case. */
static void orders(void) {
	struct scene *s = new_scene(USUAL, 1, BF16);
	static const enum exact_order want[] = { EXACT_MUL_ADD, EXACT_FMA_BETA, EXACT_FMA_ALPHA,
		                                 EXACT_ONCE };
	for (unsigned i = 0; i < 4; i++) {
		struct exact_epilogue *e;
		s->c->epilogue->order = (mx_epilogue_order)i;
		need(!mx_epilogue_make(&s->b->plan, &s->b->data, &e, &err), err.text);
		ok(e->order == want[i] && e->output == EXACT_BF16 && e->alpha == bits(0.75f) &&
		           e->beta == bits(-1.25f) && !e->bias_of_rows && !e->c_of_zero,
		   "order %s reaches the judge", mx_epilogue_order_name((mx_epilogue_order)i));
		mx_epilogue_free(e);
	}
	end(s);
}

/* C or a bias of a file need not be exact. */
static void data_that_are_not_exact(void) {
	struct scene *s = new_scene(USUAL, 0, BF16);
	struct mx_verdict v = { 0 };
	((uint32_t *)s->b->epilogue->bias)[5] = 0x3f8ccccd; /* 1.1 */
	launch(s, right);
	store_output(s);
	ok(mx_bench_judge(s->b, &s->r, &v, &err) == -1 &&
	           strstr(err.text, "not in the exact regime: epilogue of element [0][5]: its"),
	   "1.1 as a bias is not in the exact regime: %s", err.text);
	ok(mx_bench_judge(s->b, &s->r, &v, &err) == -1, "nor is it when it is judged again");
	end(s);
}

int main(void) {
	struct mx_why why = { "" };
	need(!mx_device_open("emu", &emu, &why), why.text);
	right_ones();
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		for (unsigned j = 0; j < 3; j++)
			try(&faults[i], j);
	operands();
	without_a_bias();
	orders();
	data_that_are_not_exact();
	for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
		if (scenes[i])
			end(scenes[i]);
	mx_device_close(emu);
	return done_testing();
}
