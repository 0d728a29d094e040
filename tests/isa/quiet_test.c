/* Instructions of which no watcher needs a call (w->quiet): modes under which they are needed. The
 * dwords come from llvm-mc. */
#include "both_ways.h"

/* Without wait states all straight code is quiet, with them what has been clear on the same path.
 */
static struct machine analysed(unsigned analysis) {
	struct machine m = machine();
	m.launch.analysis = analysis;
	whole.size = ARENA;
	memset(initial_state, MX_WRITTEN, ARENA);
	return m;
}

static bool same_ways(struct machine *m, const uint32_t *code, size_t bytes) {
	const char *what = compare_ways(m, code, bytes);
	if (what)
		diag("%s differ", what);
	return !what;
}

/* MODE is not set by an instruction that says so, but by s_setreg. */
static void test_index(void) {
	static const uint32_t code[] = {
		0xbefc0080,    /* s_mov_b32 m0, 0 */
		0xba0006c1, 1, /* s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1 */
		0xbf800003,    /* s_nop 3 */
		0x7e100302,    /* v_mov_b32_e32 v8, v2 */
		0xbf810000,    /* s_endpgm */
	};
	struct machine m = analysed(MX_ANALYSE_ORDER);
	bool same = same_ways(&m, code, sizeof code);
	const struct mx_proof *p = &together.report.proof;
	if (!ok(same && p->doubt == MX_DOUBT_M0_REGISTERS && p->pc == 12,
	        "registers indexed by M0 are a doubt under MODE.GPR_IDX_EN"))
		diag("doubt %u at 0x%llx", p->doubt, (unsigned long long)p->pc);
}

/* In the third round v_nop is skipped, so that M0 is read too early on a path on which it was not
 * in the second. */
static void test_skipped(void) {
	static const uint32_t code[] = {
		0xbe840080, /* s_mov_b32 s4, 0 */
		0xbf108104, /* s_setvskip s4, 1 */
		0xbf80000f, /* s_nop 15 */
		0xbf80000f, /* s_nop 15 */
		0xbefc0080, /* s_mov_b32 m0, 0 */
		0x7e000000, /* v_nop */
		0xbe862a08, /* s_movrels_b32 s6, s8 */
		0x80048104, /* s_add_u32 s4, s4, 1 */
		0xbf0a8304, /* s_cmp_lt_u32 s4, 3 */
		0xbf85fff7, /* s_cbranch_scc1 65527 */
		0xbf108080, /* s_setvskip 0, 0 */
		0xbf810000, /* s_endpgm */
	};
	struct machine m = analysed(MX_ANALYSE_ORDER | MX_ANALYSE_WAIT_STATES);
	bool same = same_ways(&m, code, sizeof code);
	const struct mx_report *r = &together.report;
	if (!ok(same && r->n_findings == 1 && r->findings[0].kind == MX_WAIT_STATES &&
	                r->findings[0].count == 1,
	        "an instruction that is skipped is no wait state"))
		diag("%zu findings, count %u", r->n_findings,
		     r->n_findings ? (unsigned)r->findings[0].count : 0);
}

int main(void) {
	test_index();
	test_skipped();
	end_both_ways();
	return done_testing();
}
