/* What a difference between a device and the emulator means: a bench plays the device, and outputs
 * that are kept and changed play the emulator. */
#include <stdlib.h>
#include <string.h>

#include "../../ci/cli/beside.h"
#include "../../ci/cli/result.h"
#include "../../oracle/bench_inside.h"
#include "../tap.h"

static struct mx_device *emu;
static struct mx_error err;

struct subject {
	struct mx_case *c;
	struct mx_bench *b;
	struct mx_result device, emulated;
};

static void start(struct subject *s, const char *file, int64_t M, int64_t N, int64_t K,
                  mx_regime regime) {
	struct mx_plan plan;
	struct mx_run_result run;
	char kernels[400];
	const char *build = getenv("BUILD");
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	*s = (struct subject){ .c = NULL };
	if (mx_case_load(file, &s->c, &err) || mx_plan_make(s->c, M, N, K, regime, &plan, &err) ||
	    mx_bench_make(&plan, emu, NULL, kernels, 1, &s->b, &err) ||
	    mx_bench_run(s->b, 1, &run, &err) ||
	    mx_bench_judge(s->b, &run, &s->device.verdict, &err)) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	s->emulated.verdict = s->device.verdict;
	s->emulated.outputs = mx_outputs_keep(s->b);
}

static const struct mx_note *joined(struct subject *s, const char *kind) {
	const struct mx_verdict *v = &s->device.verdict;
	if (mx_beside_compare(s->b, &s->emulated, &s->device))
		diag("%s", s->device.err.text);
	mx_beside_join(&s->emulated, &s->device);
	for (unsigned i = 0; i < v->n_notes; i++)
		if (!strcmp(v->notes[i].kind, kind))
			return &v->notes[i];
	return NULL;
}

static void end(struct subject *s) {
	mx_result_free(&s->device);
	mx_result_free(&s->emulated);
	mx_bench_free(s->b);
	mx_case_free(s->c);
}

/* As if the judge had found one wrong element on a device. */
static void blame(struct mx_verdict *v) {
	v->wrong = 1;
	mx_verdict_add(v, MX_WRONG_NUMBERS, "wrong-bits", "C[0][1] is wrong");
}

static void test_exact(bool device, bool emulator, const char *text) {
	struct subject s;
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 32, MX_REGIME_EXACT);
	s.emulated.outputs->at[4] ^= 1;
	if (device)
		blame(&s.device.verdict);
	if (emulator)
		blame(&s.emulated.verdict);
	const struct mx_note *n = joined(&s, "devices-differ");
	ok(n && n->severity == MX_WRONG_NUMBERS && !strncmp(n->text, text, strlen(text)),
	   "exact regime: %s", text);
	ok(n && strstr(n->text, "1 of 256 elements differ from emu, at most 1 ULP; first C[0][1] "),
	   "  with the first difference");
	end(&s);
}

static void test_measured(void) {
	struct subject s;
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 64, MX_REGIME_GENERAL);
	s.emulated.outputs->at[4] ^= 1;
	blame(&s.device.verdict);
	const struct mx_note *n = joined(&s, "profile");
	ok(n && n->severity == MX_REPORTED && !mx_verdict_status(&s.device.verdict),
	   "general regime: a measurement takes the place of wrong bits");
	ok(s.device.beside->measurement.elements == 256 &&
	           s.device.beside->measurement.fit[0].equal == 256 &&
	           !strcmp(s.device.beside->measurement.fit[0].name, "block32"),
	   "  which finds the profile of the device");
	end(&s);
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 64, MX_REGIME_GENERAL);
	s.emulated.outputs->at[4] ^= 1;
	blame(&s.device.verdict);
	blame(&s.emulated.verdict);
	n = joined(&s, "wrong-bits");
	ok(n && mx_verdict_status(&s.device.verdict) == MX_WRONG_NUMBERS,
	   "what is wrong on both devices is wrong");
	end(&s);
}

static void test_formats(void) {
	struct subject s;
	start(&s, "cases/gemm/mxfp4_bf16.yaml", 16, 16, 64, MX_REGIME_EXACT);
	ok(s.emulated.outputs->bytes == 2 * 256, "outputs of bf16 are kept in two bytes");
	s.emulated.outputs->at[2] ^= 2;
	joined(&s, "devices-differ");
	ok(s.device.beside->difference.ulp == 2, "their distance is in ULP of bf16");
	end(&s);
}

static void test_nothing(void) {
	struct subject s;
	char text[640];
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 32, MX_REGIME_EXACT);
	ok(!joined(&s, "devices-differ") && s.device.beside->difference.elements == 256,
	   "equal outputs are no finding");
	end(&s);
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 32, MX_REGIME_EXACT);
	free(s.emulated.outputs);
	s.emulated.outputs = NULL;
	mx_verdict_add(&s.emulated.verdict, MX_WRONG_DEVICE, "crash", "died");
	const struct mx_note *n = joined(&s, "crash");
	ok(n && n->emulated && !strcmp(n->text, "on emu: died") &&
	           mx_verdict_status(&s.device.verdict) == MX_WRONG_DEVICE,
	   "a crash on the emulator is a finding of the run");
	ok(!strcmp(mx_beside_text(s.device.beside, text, sizeof text), "outputs not compared"),
	   "  and nothing is compared");
	end(&s);
}

/* Outputs go from one process to another with the result. */
static void test_packed(void) {
	struct subject s;
	struct mx_result back = { 0 };
	size_t n;
	start(&s, "cases/gemm/mxfp4_f32.yaml", 16, 16, 32, MX_REGIME_EXACT);
	uint8_t *bytes = mx_result_pack(&s.emulated, &n);
	ok(bytes && mx_result_unpack(bytes, n, &back) && back.outputs &&
	           back.outputs->bytes == s.emulated.outputs->bytes &&
	           !memcmp(back.outputs->at, s.emulated.outputs->at, back.outputs->bytes),
	   "a packed result has its outputs");
	struct mx_result none = { 0 };
	ok(bytes && !mx_result_unpack(bytes, n - 1, &none) && !none.outputs,
	   "  but not if they are cut");
	free(bytes);
	mx_result_free(&back);
	end(&s);
}

int main(void) {
	struct mx_why why;
	if (mx_device_open("emu", &emu, &why)) {
		printf("Bail out! %s\n", why.text);
		return 1;
	}
	test_exact(true, false, "emu is as the reference, the device is not: ");
	test_exact(false, true, "the device is as the reference, emu is not: ");
	test_exact(true, true, "neither is as the reference: ");
	test_measured();
	test_formats();
	test_nothing();
	test_packed();
	mx_device_close(emu);
	return done_testing();
}
