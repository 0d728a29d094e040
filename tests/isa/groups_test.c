/* Groups of findings that one wait, barrier or s_nop resolves, and short names of kernels. */
#include "machine_test.h"

enum { MOST = 4 };

struct row {
	const char *what;
	struct mx_finding f[MOST];
	size_t n, groups;
	const char *text; /* of the first group */
};

#define RACE(kind_, from, to, ...)                                                                 \
	{                                                                                          \
		.kind = MX_RACE_##kind_, .earlier = from, .pc = to, .missing = { __VA_ARGS__ }     \
	}
#define WAIT(from, to, count) RACE(REGISTER, from, to, MX_MISSING_WAIT, MX_COUNTER_LGKM, count, 0)
#define STATES(what, from, to, count)                                                              \
	{                                                                                          \
		.kind = MX_WAIT_STATES, .earlier = from, .pc = to, .missing = {                    \
			MX_MISSING_##what,                                                         \
			0,                                                                         \
			count,                                                                     \
			0                                                                          \
		}                                                                                  \
	}
#define NOP(from, to, count) STATES(WAIT_STATES, from, to, count)

static const struct row rows[] = {
	{ "one finding", { WAIT(0x10, 0x40, 3) }, 1, 1, "" },
	{ "one reader of three loads",
	  { WAIT(0x10, 0x40, 2), WAIT(0x18, 0x40, 1), WAIT(0x20, 0x40, 0) },
	  3,
	  1,
	  "; and 2 more: s_waitcnt lgkmcnt(0) before +0x40 orders all" },
	{ "three readers",
	  { WAIT(0x10, 0x48, 2), WAIT(0x18, 0x40, 1), WAIT(0x20, 0x50, 0) },
	  3,
	  1,
	  "; and 2 more: one s_waitcnt lgkmcnt before +0x40 orders all" },
	{ "a load after the first reader", { WAIT(0x10, 0x40, 2), WAIT(0x40, 0x50, 1) }, 2, 2, "" },
	{ "two counters",
	  { WAIT(0x10, 0x40, 2), RACE(REGISTER, 0x18, 0x40, MX_MISSING_WAIT, MX_COUNTER_VM, 1, 0) },
	  2,
	  2,
	  "" },
	{ "two spaces",
	  { WAIT(0x10, 0x40, 2), RACE(LDS, 0x18, 0x40, MX_MISSING_WAIT, MX_COUNTER_LGKM, 1, 0) },
	  2,
	  2,
	  "" },
	{ "around a loop",
	  { WAIT(0x80, 0x10, 2), WAIT(0x90, 0x20, 1), WAIT(0x10, 0x20, 0) },
	  3,
	  2,
	  "; and 1 more: one s_waitcnt lgkmcnt after +0x90, before +0x10 in the next round orders "
	  "all" },
	{ "a barrier, where one wave may be ahead of the other without a loop",
	  { RACE(LDS, 0x80, 0x10, MX_MISSING_BARRIER, 0, 0, 0),
	    RACE(LDS, 0x90, 0x10, MX_MISSING_BARRIER, 0, 0, 0) },
	  2,
	  1,
	  "; and 1 more: one s_barrier after +0x90, before +0x10 in the next round (if they are in "
	  "a loop) orders all" },
	{ "a barrier, with and without a wait",
	  { RACE(LDS, 0x10, 0x40, MX_MISSING_WAIT_AND_BARRIER, MX_COUNTER_LGKM, 0, 0),
	    RACE(LDS, 0x20, 0x60, MX_MISSING_BARRIER, 0, 0, 0) },
	  2,
	  1,
	  "; and 1 more: one s_waitcnt lgkmcnt and s_barrier before +0x40 order all" },
	{ "the wait before a barrier",
	  { RACE(LDS, 0x10, 0x60, MX_MISSING_WAIT_AT_BARRIER, MX_COUNTER_LGKM, 1, 0x40),
	    RACE(LDS, 0x18, 0x80, MX_MISSING_WAIT_AT_BARRIER, MX_COUNTER_LGKM, 0, 0x40),
	    RACE(LDS, 0x48, 0x80, MX_MISSING_WAIT_AT_BARRIER, MX_COUNTER_LGKM, 0, 0x70) },
	  3,
	  2,
	  "; and 1 more: s_waitcnt lgkmcnt(0) before that s_barrier orders all" },
	{ "wait states",
	  { NOP(0x10, 0x20, 2), NOP(0x8, 0x20, 1), NOP(0x10, 0x28, 4) },
	  3,
	  1,
	  "; and 2 more: 4 wait states before +0x20 are enough for all" },
	{ "results and sources in expert scheduling mode",
	  { STATES(VA_VDST, 0x10, 0x20, 2), STATES(VA_VDST, 0x8, 0x28, 1),
	    STATES(VM_VSRC, 0x8, 0x28, 1) },
	  3,
	  2,
	  "; and 1 more: one s_wait_alu before +0x20 is enough for all" },
	{ "findings without a resolution",
	  { { .kind = MX_UNWRITTEN, .pc = 0x10, .earlier = MX_NO_PC },
	    { .kind = MX_UNWRITTEN, .pc = 0x10, .earlier = MX_NO_PC } },
	  2,
	  2,
	  "" },
};

static void test_groups(const struct row *r) {
	struct mx_finding_group g[MOST];
	char text[200];
	size_t n = mx_group_findings(r->f, r->n, g);
	mx_group_text(&mx_gfx950, &g[0], text, sizeof text);
	if (!ok(n == r->groups && !strcmp(text, r->text) && g[0].first == 0, "%s: %zu group%s",
	        r->what, r->groups, r->groups == 1 ? "" : "s"))
		diag("%zu groups, the first: '%s'", n, text);
}

static void test_names(void) {
	static const struct {
		const char *symbol, *name;
	} names[] = {
		{ "gemm", "gemm" },
		{ "_Z", "_Z" },
		{ "_ZN5aiter24bf16gemm_bf16_tn_256x256E", "bf16gemm_bf16_tn_256x256" },
		{ "_ZN5aiter25bf16gemm_bf16_tn_256x256E", "bf16gemm_bf16_tn_256x256" },
		{ "_ZN5aiter24fmha_fwd_hd128_fp8_gfx950E", "fmha_fwd_hd128_fp8_gfx950" },
		{ "_ZN5aiterE_", "_ZN5aiterE_" },
		{ "_ZNE", "_ZNE" },
		{ "_ZN99", "_ZN99" },
		{ "_ZN99E", "_ZN99E" },
		{ "_ZN4294967296E", "_ZN4294967296E" },
		{ "_Z4copyPfPKfi", "copy" },
		{ "_ZN2ck4gemmIfLi4EEEvPT_", "gemm" },
		{ "_ZN12_GLOBAL__N_14copyEPf", "copy" },
		{ "_ZN1a1bISt4pairIifEE3runIXeqLi1ELi2EEEEvv", "run" },
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char text[64];
		mx_kernel_short_name(names[i].symbol, text, sizeof text);
		if (!ok(!strcmp(text, names[i].name), "%s is %s", names[i].symbol, names[i].name))
			diag("got '%s'", text);
	}
}

int main(void) {
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		test_groups(&rows[i]);
	test_names();
	return done_testing();
}
