/* The mutants of code: waits, barriers and nops as its instruction set has them. */
#include "../../fuzz/mutation/mutate.h"
#include "../isa/toy_programs.h"

struct expected {
	uint32_t word;
	const char *what;
};

/* Whether the code has these mutants, in this order. */
static void finds(const struct mx_isa *isa, const uint32_t *code, size_t n,
                  const struct expected *e, size_t n_expected, const char *what) {
	struct mx_site *sites;
	struct mx_mutant *mutants;
	size_t n_sites, n_mutants, same = 0;
	need(!mx_mutants_find(isa, code, n, &sites, &n_sites, &mutants, &n_mutants), "memory");
	while (same < n_mutants && same < n_expected && mutants[same].word == e[same].word &&
	       !strcmp(mutants[same].what, e[same].what))
		same++;
	if (!ok(same == n_mutants && same == n_expected, "%s", what))
		diag("mutant %zu of %zu: %s", same, n_mutants,
		     same < n_mutants ? mutants[same].what : "");
	free(sites);
	free(mutants);
}
#define FINDS(isa, code, expected, what)                                                           \
	finds(isa, code, sizeof code / 4, expected, sizeof expected / sizeof *expected, what)

static void test_gfx950(void) {
	static const uint32_t code[] = {
		0xbf8cc17e, /* s_waitcnt vmcnt(62) lgkmcnt(1) */
		0xbf8a0000, /* s_barrier */
		0xbf800002, /* s_nop 2 */
	};
	static const struct expected mutants[] = {
		{ 0xbf8cc17f, "vmcnt(62) -> vmcnt(63)" },
		{ 0xbf8cc27e, "lgkmcnt(1) -> lgkmcnt(2)" },
		{ 0xbf8ccf7e, "lgkmcnt(1) -> lgkmcnt(15)" },
		{ 0xbf800000, "s_barrier -> s_nop 0" },
		{ 0xbf800001, "s_nop 2 -> s_nop 1" },
		{ 0xbf800000, "s_nop 2 -> s_nop 0" },
	};
	FINDS(&mx_gfx950, code, mutants, "weaker waits, no barrier and shorter nops of gfx950");
}

static void test_gfx1250(void) {
	static const uint32_t code[] = {
		0x7e000000, /* v_nop */
		0x7e040280, /* v_mov_b32_e32 v2, 0 */
		0xbe804ec1, /* s_barrier_signal -1 */
	};
	static const struct expected mutants[] = {
		{ 0xbf800000, "v_nop -> s_nop 0" },
		{ 0xbf800000, "s_barrier_signal -> s_nop 0" },
	};
	FINDS(&mx_gfx1250, code, mutants, "a v_nop of gfx1250, which is one wait state");
}

static void test_gfx1250_waits(void) {
	static const uint32_t code[] = {
		0xbf880f9f, /* s_wait_alu depctr_va_vdst(0) */
		0xbf88ff9b, /* s_wait_alu depctr_vm_vsrc(6) */
		0xbf88ff9e, /* s_wait_alu depctr_sa_sdst(0): the hardware checks SGPRs */
		0xbfc60004, /* s_wait_dscnt 4 */
	};
	static const struct expected mutants[] = {
		{ 0xbf881f9f, "va_vdst(0) -> va_vdst(1)" },
		{ 0xbf88ff9f, "va_vdst(0) -> va_vdst(15)" },
		{ 0xbf88ff9f, "vm_vsrc(6) -> vm_vsrc(7)" },
		{ 0xbfc60005, "dscnt 4 -> dscnt 5" },
		{ 0xbfc6003f, "dscnt 4 -> dscnt 63" },
	};
	FINDS(&mx_gfx1250, code, mutants, "weaker waits of gfx1250, for VGPRs too");
}

static void test_other_set(void) {
	static const uint32_t code[] = {
		T_WAIT(ASYNC, 1),
		T_SIGNAL(1),
		T_AWAIT(1),
		T_OP(NOP, 0, 0, 1),
	};
	static const struct expected mutants[] = {
		{ T_WAIT(ASYNC, 2), "asynccnt 1 -> asynccnt 2" },
		{ T_WAIT(ASYNC, 7), "asynccnt 1 -> asynccnt 7" },
		{ T_OP(NOP, 0, 0, 0), "t_signal -> t_nop 0" },
		{ T_OP(NOP, 0, 0, 0), "t_await -> t_nop 0" },
		{ T_OP(NOP, 0, 0, 0), "t_nop 1 -> t_nop 0" },
	};
	FINDS(&toy, code, mutants, "and those of another instruction set, with its counters");
}

int main(void) {
	test_gfx950();
	test_gfx1250();
	test_gfx1250_waits();
	test_other_set();
	return done_testing();
}
