/* Schedule policies: which policy shows which bug. The twins are our GEMM without one barrier or
 * one wait, changed in the bytes of the code object. */
#include "../../fuzz/hunt/schedule.h"
#include "../../ref/isa/schedule/random.h"
#include "../../ref/isa/schedule/schedule.h"
#include "../tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	S_NOP = 0xbf800000,
	S_BARRIER = 0xbf8a0000,
	S_WAITCNT = 0xbf8c0000,
	MEMORY = 6, /* kinds of memory, see kind_of */
	TURNS = 3,
	SHORT_SEEDS = 80,
	LONG_SEEDS = 1000,
};

static const char *const memory_names[MEMORY] = { "at once", "at wait",  "uniform",
	                                          "mixed",   "by place", "by wave" };
static const char *const turn_names[TURNS] = { "random turns", "ranked", "ranked, patient" };

static struct mx_device *emu;
static struct mx_case *gemm;
static struct mx_error err;
static unsigned seeds = SHORT_SEEDS;

/* The policy of a seed for the only workgroup of a launch. */
static struct mx_policy policy_of(uint64_t seed) {
	static struct mx_wave waves[4];
	struct mx_group g = { .n_waves = 4, .waves = waves };
	mx_random_seed(&g.random, seed, 0);
	mx_group_policy(&g);
	return g.policy;
}

static unsigned kind_of(const struct mx_policy *t) {
	if (t->fate != MX_BY_OPERATION)
		return t->fate == MX_BY_PLACE ? 4 : 5;
	if (t->at_once == 256 || t->at_wait == 256)
		return t->at_wait == 256;
	return t->at_once + t->at_wait ? 3 : 2;
}

struct counts {
	unsigned shown[MEMORY][TURNS], of[MEMORY][TURNS], all;
};

static struct counts hunt(const char *co) {
	const struct mx_schedule sequential = { .odd = UINT64_MAX };
	struct counts c = { .all = 0 };
	struct mx_run_result r;
	struct mx_plan plan;
	struct mx_bench *b;
	need(!mx_plan_make(gemm, 128, 64, 1024, MX_REGIME_EXACT, &plan, &err), err.text);
	need(!mx_bench_make(&plan, emu, co, "", 1, &b, &err), err.text);
	need(!mx_bench_run_as(b, &sequential, &r, &err), err.text);
	uint64_t quiet = mx_bench_hash(b);
	for (uint64_t seed = 1; seed <= seeds; seed++) {
		struct mx_policy t = policy_of(seed);
		unsigned k = kind_of(&t), w = t.ranked ? 1 + t.patient : 0;
		need(!mx_bench_run(b, seed, &r, &err), err.text);
		bool shown = mx_bench_hash(b) != quiet;
		c.of[k][w]++;
		c.shown[k][w] += shown;
		c.all += shown;
	}
	mx_bench_free(b);
	return c;
}

static void print_table(const struct counts *c) {
	for (unsigned w = 0; w < TURNS; w++)
		for (unsigned k = 0; k < MEMORY; k++)
			diag("%-16s memory %-9s %3u of %3u", turn_names[w], memory_names[k],
			     c->shown[k][w], c->of[k][w]);
}

/* Writes the code object with the n-th dword that matches replaced; returns its path. */
static const char *patched(const char *build, uint32_t mask, uint32_t word, unsigned n,
                           uint32_t now, char path[64]) {
	static uint8_t bytes[1 << 18];
	char co[512];
	snprintf(co, sizeof co, "%s/kernels/gemm/mxfp4_gemm.co", build);
	FILE *f = fopen(co, "rb");
	need(f != NULL, co);
	size_t size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	for (size_t at = 0; at + 4 <= size; at += 4) {
		uint32_t v;
		memcpy(&v, bytes + at, 4);
		if ((v & mask) == word && !n--) {
			memcpy(bytes + at, &now, 4);
			break;
		}
	}
	strcpy(path, "/tmp/mxcheck-policy-XXXXXX");
	int file = mkstemp(path);
	need(file >= 0 && write(file, bytes, size) == (ssize_t)size, path);
	close(file);
	return path;
}

static void test_twin(const char *name, const char *co, unsigned least) {
	struct counts c = hunt(co);
	ok(c.all >= least, "%s shows under %u of %u seeds", name, c.all, seeds);
	print_table(&c);
}

int main(void) {
	const char *build = getenv("BUILD") ? getenv("BUILD") : "build";
	struct mx_why why = { "" };
	char path[64], loose[512];
	if (is_long())
		seeds = LONG_SEEDS;
	need(!mx_device_open("emu", &emu, &why), why.text);
	need(!mx_case_load("cases/gemm/mxfp4_f32.yaml", &gemm, &err), err.text);
	snprintf(loose, sizeof loose, "%s/kernels/broken/loose_wait.co", build);
	test_twin("a wait that is too weak by one", loose, seeds / 3);
	for (unsigned n = 0; n < 2; n++) {
		char name[64];
		patched(build, ~0u, S_BARRIER, n, S_NOP, path);
		snprintf(name, sizeof name, "the GEMM without its barrier %u", n + 1);
		test_twin(name, path, 1);
		unlink(path);
	}
	patched(build, 0xffff0f00, S_WAITCNT | 0x0f00, 0, 0xbf8ccf7f, path);
	test_twin("the GEMM without its first wait for loads", path, seeds / 3);
	unlink(path);
	mx_case_free(gemm);
	mx_device_close(emu);
	return done_testing();
}
