/* Missing waits that lint finds on some path: correct code, and near-identical code with a missing
 * wait. */
#include "../../ref/isa/lint/lint.h"
#include "machine_test.h"

static const struct mx_isa *isa = &mx_gfx950;

struct seen {
	unsigned n;
	uint32_t at;
	char text[300]; /* of the last finding */
};

static void note(void *context, const struct mx_finding *f) {
	struct seen *s = context;
	s->n += f->kind == MX_UNWAITED;
	s->at = (uint32_t)f->pc;
	mx_finding_sentence(isa, f, s->text, sizeof s->text);
}

static struct seen lint(const uint32_t *code, size_t bytes) {
	struct seen s = { 0 };
	struct mx_program *p = mx_program_new(isa, code, bytes, 0);
	struct mx_lint l = { .program = p, .context = &s, .found = note };
	need(p && mx_graph_make(p, 0, (uint32_t)bytes, &l.graph) && mx_lint_waits(&l), "memory");
	mx_graph_free(&l.graph);
	mx_program_free(p);
	return s;
}

static void clean(const uint32_t *code, size_t bytes, const char *what) {
	struct seen s = lint(code, bytes);
	if (!ok(!s.n, "%s", what))
		diag("+0x%x %s", s.at, s.text);
}
#define CLEAN(code, what) clean(code, sizeof(code), what)

static void lacks(const uint32_t *code, size_t bytes, uint32_t at, const char *wait,
                  const char *what) {
	struct seen s = lint(code, bytes);
	if (!ok(s.n == 1 && s.at == at && strstr(s.text, wait), "%s", what))
		diag("%u, the last at +0x%x: %s", s.n, s.at, s.text);
}
#define LACKS(code, at, wait, what) lacks(code, sizeof(code), at, wait, what)

static void test_straight(void) {
	static const uint32_t waits[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	}, reads[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	}, writes[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0x7e020280,             /* v_mov_b32_e32 v1, 0 */
		0xbf810000,             /* s_endpgm */
	}, counts[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xdc508000, 0x03000006, /* global_load_dword v3, v6, s[0:1] */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	}, counts_wrong[] = {
		0xdc508000, 0x03000006, /* global_load_dword v3, v6, s[0:1] */
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xbf8c0f71,             /* s_waitcnt vmcnt(1) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	};
	CLEAN(waits, "a loaded register is read after the wait");
	LACKS(reads, 8, "reads v1", "without a wait");
	LACKS(writes, 8, "writes v1", "a write of the register without a wait");
	CLEAN(counts, "vmcnt(1) covers the older of two loads");
	LACKS(counts_wrong, 20, "vmcnt(0)", "but not the younger");
}

/* Exactly the registers that an instruction reads or writes need a wait. */
static void test_operands(void) {
	static const uint32_t strictest[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xdc508000, 0x03000006, /* global_load_dword v3, v6, s[0:1] */
		0x02040701,             /* v_add_f32_e32 v2, v1, v3 */
		0xbf810000,             /* s_endpgm */
	}, clock[] = {
		0xc0020002, 0x00000000, /* s_load_dword s0, s[4:5], 0x0 */
		0xc0940080, 0x00000000, /* s_memrealtime s[2:3] */
		0xbf810000,             /* s_endpgm */
	}, clock_result[] = {
		0xc0940080, 0x00000000, /* s_memrealtime s[2:3] */
		0xbe840003,             /* s_mov_b32 s4, s3 */
		0xbf810000,             /* s_endpgm */
	}, atomic[] = {
		0xc0020182, 0x00000000, /* s_load_dword s6, s[4:5], 0x0 */
		0xc20a0184, 0x00000000, /* s_atomic_add s6, s[8:9], 0x0 */
		0xbf810000,             /* s_endpgm */
	}, returned[] = {
		0xc20b0184, 0x00000000, /* s_atomic_add s6, s[8:9], 0x0 glc */
		0xbe870006,             /* s_mov_b32 s7, s6 */
		0xbf810000,             /* s_endpgm */
	}, not_returned[] = {
		0xc20a0184, 0x00000000, /* s_atomic_add s6, s[8:9], 0x0 */
		0xbe870006,             /* s_mov_b32 s7, s6 */
		0xbf810000,             /* s_endpgm */
	};
	LACKS(strictest, 16, "reads v3 while +0x8", "two sources in flight need the wait for both");
	CLEAN(clock, "a clock does not use s0");
	LACKS(clock_result, 8, "reads s3", "the result of a clock needs a wait");
	LACKS(atomic, 8, "reads s6", "a scalar atomic reads its data");
	LACKS(returned, 8, "reads s6", "and writes its result if it returns");
	CLEAN(not_returned, "but not otherwise");
}

static void test_paths(void) {
	static const uint32_t loop[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0x80848104,             /* s_sub_u32 s4, s4, 1 */
		0xbf85fffa,             /* s_cbranch_scc1 65530 */
		0xbf810000,             /* s_endpgm */
	}, round[] = {
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0x80848104,             /* s_sub_u32 s4, s4, 1 */
		0xbf85fffb,             /* s_cbranch_scc1 65531 */
		0xbf810000,             /* s_endpgm */
	}, around[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xbf840001,             /* s_cbranch_scc0 1 */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	}, both[] = {
		0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
		0xbf840001,             /* s_cbranch_scc0 1 */
		0xbf800000,             /* s_nop 0 */
		0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
		0x7e040301,             /* v_mov_b32_e32 v2, v1 */
		0xbf810000,             /* s_endpgm */
	};
	CLEAN(loop, "a loop that waits for its load");
	LACKS(round, 0, "reads v1 while +0x4", "a load of the previous iteration");
	LACKS(around, 16, "reads v1", "a wait on only one of two paths");
	CLEAN(both, "a wait after both paths join");
}

/* M0 selects the registers of a block. */
static void test_blocks(void) {
	/* clang-format off */
	static const uint32_t known[] = {
		0xbefd0085,                         /* gfx1250: s_mov_b32 m0, 5 */
		0xee14c000, 0x00000028, 0x00000006, /* gfx1250: global_load_block v[40:71], v6, s[0:1] */
		0x7e04032b,                         /* gfx1250: v_mov_b32_e32 v2, v43 */
		0xbfb00000,                         /* gfx1250: s_endpgm */
	}, selected[] = {
		0xbefd0085,                         /* gfx1250: s_mov_b32 m0, 5 */
		0xee14c000, 0x00000028, 0x00000006, /* gfx1250: global_load_block v[40:71], v6, s[0:1] */
		0x7e04032a,                         /* gfx1250: v_mov_b32_e32 v2, v42 */
		0xbfb00000,                         /* gfx1250: s_endpgm */
	}, unknown[] = {
		0xbefd0002,                         /* gfx1250: s_mov_b32 m0, s2 */
		0xee14c000, 0x00000028, 0x00000006, /* gfx1250: global_load_block v[40:71], v6, s[0:1] */
		0x7e04032b,                         /* gfx1250: v_mov_b32_e32 v2, v43 */
		0xbfb00000,                         /* gfx1250: s_endpgm */
	}, stored[] = {
		0xee050000, 0x0000002b, 0x00000006, /* gfx1250: global_load_b32 v43, v6, s[0:1] */
		0xbefd0085,                         /* gfx1250: s_mov_b32 m0, 5 */
		0xee150000, 0x14000000, 0x00000006, /* gfx1250: global_store_block v6, v[40:71], s[0:1] */
		0xbfb00000,                         /* gfx1250: s_endpgm */
	};
	/* clang-format on */
	isa = &mx_gfx1250;
	CLEAN(known, "a register that M0 leaves out is not in flight");
	LACKS(selected, 16, "reads v42", "one that it selects is");
	LACKS(unknown, 16, "reads v43", "any is if M0 is not known");
	CLEAN(stored, "a block that is stored does not read what M0 leaves out");
}

int main(void) {
	test_straight();
	test_operands();
	test_paths();
	test_blocks();
	return done_testing();
}
