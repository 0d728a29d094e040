/* Unwritten bytes on a device that does not record writes, found by repeating the launch. Launches
 * are simulated here, byte by byte, in the emulator's memory. */
#include "../../kernels/host/hip_runtime.h"
#include "../../oracle/bench_inside.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>

static struct mx_error err;
static unsigned launches, fails_at;

/* Byte 0 of C; byte 1 differs between launches; the others are always written in the same way. */
static uint8_t *output;
static size_t bytes;
static uint8_t (*value)(uint8_t poison, unsigned launch);
static bool repeats_itself;

static hipError_t launch(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                         unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void **params,
                         void **extra) {
	(void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)lds;
	(void)stream, (void)params, (void)extra;
	uint8_t poison = output[0];
	memset(output, 0x3f, bytes);
	output[0] = value(poison, ++launches);
	output[1] = repeats_itself ? 0xff : (uint8_t)(0x10 + launches);
	return hipSuccess;
}

static hipError_t wait(hipStream_t stream) {
	(void)stream;
	return launches == fails_at ? hipErrorUnknown : hipSuccess;
}

static uint8_t left(uint8_t poison, unsigned n) {
	(void)n;
	return poison;
}

static uint8_t ones(uint8_t poison, unsigned n) {
	(void)poison, (void)n;
	return 0xff;
}

static uint8_t high_left(uint8_t poison, unsigned n) {
	(void)n;
	return (poison & 0xf0) | 5;
}

static uint8_t three_bits_left(uint8_t poison, unsigned n) {
	(void)n;
	return (poison & 0xe0) | 5;
}

static uint8_t by_chance(uint8_t poison, unsigned n) {
	(void)poison;
	return n == 1 ? 0xff : 0;
}

/* A judgement of a run by `v`: whether byte 0 is unwritten, and how many others are. */
struct found {
	int status;
	bool first;
	size_t others;
};

static struct found find(struct mx_bench *b, struct mx_verdict *v) {
	struct mx_run_result r;
	struct found f = { 0 };
	launches = 0;
	need(!mx_bench_run(b, 1, &r, &err), err.text);
	f.status = mx_unwritten_find(b, &r, v, &err);
	const struct mx_buffer *c = mx_plan_role(&b->plan, MX_ROLE_C);
	const uint8_t *unwritten = b->buffer[c - b->plan.buffers].unwritten + c->guard;
	f.first = unwritten[0];
	for (size_t i = 1; i < bytes; i++)
		f.others += unwritten[i];
	return f;
}

static void test_values(struct mx_bench *b) {
	static const struct {
		const char *sentence;
		uint8_t (*value)(uint8_t poison, unsigned launch);
		bool repeats_itself, unwritten;
		unsigned launches;
	} t[] = {
		{ "a byte with the poison of both launches is unwritten", left, true, true, 2 },
		{ "one with the poison of the first launch in both is written", ones, true, false,
		  2 },
		{ "one with half a byte of poison is unwritten", high_left, true, true, 5 },
		{ "three bits of poison are not a code: written", three_bits_left, true, false, 2 },
		{ "if others differ, one with the poison of every launch is unwritten", left, false,
		  true, 5 },
		{ "one with the poison of two by chance is written", by_chance, false, false, 5 },
		{ "so is one with a part of it", high_left, false, false, 5 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct mx_verdict v = { 0 };
		value = t[i].value;
		repeats_itself = t[i].repeats_itself;
		struct found f = find(b, &v);
		if (!ok(!f.status && f.first == t[i].unwritten && !f.others && !v.n_notes &&
		                launches == t[i].launches,
		        "%s: %u launches", t[i].sentence, t[i].launches))
			diag("unwritten %d, %zu others, %u launches", f.first, f.others, launches);
	}
}

static void test_failure(struct mx_bench *b) {
	struct mx_verdict v = { 0 };
	struct mx_run_result r;
	value = left;
	fails_at = 2;
	launches = 0;
	need(!mx_bench_run(b, 1, &r, &err) && !mx_bench_judge(b, &r, &v, &err), err.text);
	if (!ok(v.n_notes == 1 && !strcmp(v.notes[0].kind, "fault") &&
	                strstr(v.notes[0].text, "repeated with another poison: ") && !v.checked,
	        "a repeated launch that fails is a fault and the only note"))
		diag("%u notes: %s %s", v.n_notes, v.notes[0].kind, v.notes[0].text);
}

int main(void) {
	struct mx_device *emu, real;
	struct mx_why why = { "" };
	struct mx_case *c;
	struct mx_plan plan;
	struct mx_bench *b;
	char kernels[400];
	const char *build = getenv("BUILD");
	snprintf(kernels, sizeof kernels, "%s/kernels", build ? build : "build");
	need(!mx_device_open("emu", &emu, &why), why.text);
	struct mx_hip hip = *emu->hip;
	real = *emu;
	real.emu = NULL;
	real.hip = &hip;
	hip.hipModuleLaunchKernel = launch;
	hip.hipStreamSynchronize = wait;
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &c, &err) &&
	             !mx_plan_make(c, 16, 16, 64, MX_REGIME_EXACT, &plan, &err) &&
	             !mx_bench_make(&plan, &real, NULL, kernels, 1, &b, &err),
	     err.text);
	const struct mx_buffer *out = mx_plan_role(&b->plan, MX_ROLE_C);
	output = (uint8_t *)(uintptr_t)mx_bench_address(b, (unsigned)(out - b->plan.buffers));
	bytes = out->bytes;
	test_values(b);
	test_failure(b);
	mx_bench_free(b);
	mx_case_free(c);
	mx_device_close(emu);
	return done_testing();
}
