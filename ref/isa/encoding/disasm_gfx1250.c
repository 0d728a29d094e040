/* The text of immediates and modifiers that gfx1250 alone has. */
#include <string.h>

#include "disasm.h"
#include "operand_spec.h"

/* ---- immediates ---- */

static void put_hwreg(struct mx_text *t, unsigned v) {
	static const char *const names[64] = {
		[1] = "WAVE_MODE",
		[2] = "WAVE_STATUS",
		[4] = "WAVE_STATE_PRIV",
		[5] = "WAVE_GPR_ALLOC",
		[6] = "WAVE_LDS_ALLOC",
		[7] = "IB_STS",
		[10] = "PERF_SNAPSHOT_DATA",
		[11] = "PERF_SNAPSHOT_PC_LO",
		[12] = "PERF_SNAPSHOT_PC_HI",
		[15] = "PERF_SNAPSHOT_DATA1",
		[16] = "PERF_SNAPSHOT_DATA2",
		[17] = "WAVE_EXCP_FLAG_PRIV",
		[18] = "WAVE_EXCP_FLAG_USER",
		[19] = "WAVE_TRAP_CTRL",
		[20] = "WAVE_SCRATCH_BASE_LO",
		[21] = "WAVE_SCRATCH_BASE_HI",
		[23] = "WAVE_HW_ID1",
		[24] = "WAVE_HW_ID2",
		[26] = "WAVE_SCHED_MODE",
		[28] = "IB_STS2",
		[29] = "SHADER_CYCLES_LO",
		[30] = "SHADER_CYCLES_HI",
		[31] = "WAVE_DVGPR_ALLOC_LO",
		[32] = "WAVE_DVGPR_ALLOC_HI",
		[33] = "XNACK_STATE_PRIV",
		[34] = "XNACK_MASK",
	};
	mx_put_hwreg(t, v, names);
}

/* The low byte names the message. */
static void put_sendmsg(struct mx_text *t, unsigned v) {
	static const char *const names[256] = {
		[1] = "INTERRUPT",           [2] = "HS_TESSFACTOR",
		[3] = "DEALLOC_VGPRS",       [9] = "GS_ALLOC_REQ",
		[10] = "SAVEWAVE_HAS_TDM",   [128] = "RTN_GET_DOORBELL",
		[129] = "RTN_GET_DDID",      [130] = "RTN_GET_TMA",
		[131] = "RTN_GET_REALTIME",  [132] = "RTN_SAVE_WAVE",
		[133] = "RTN_GET_TBA",       [134] = "RTN_GET_TBA_TO_PC",
		[135] = "RTN_GET_SE_AID_ID", [136] = "RTN_GET_CLUSTER_BARRIER_STATE",
	};
	const char *name = names[v & 255];
	if (name)
		mx_put(t, "sendmsg(MSG_%s)", name);
	else
		mx_put(t, v < 256 ? "sendmsg(%u, 0, 0)" : "%u", v);
}

/* s_wait_alu: a counter at its maximum waits for nothing and is not printed, unless all are. The
 * other bits are 0 in bits 5 and 6. */
static void put_depctr(struct mx_text *t, unsigned v) {
	static const struct {
		const char *name;
		uint8_t low, width;
	} counters[] = {
#define MX_ALU_COUNTER(id, name, low, width) { #name, low, width },
#include "../wait_alu.def"
#undef MX_ALU_COUNTER
	};
	enum { OTHER_BITS = 0x60, ALL = 0xff9f };
	bool space = false;
	if (v & OTHER_BITS) {
		mx_put(t, "0x%x", v);
		return;
	}
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		unsigned most = (1u << counters[i].width) - 1, n = v >> counters[i].low & most;
		if (n == most && v != ALL)
			continue;
		mx_put(t, "%sdepctr_%s(%u)", space ? " " : "", counters[i].name, n);
		space = true;
	}
}

static void put_instid(struct mx_text *t, const char *name, unsigned v) {
	static const char *const ids[16] = {
		NULL,
		"VALU_DEP_1",
		"VALU_DEP_2",
		"VALU_DEP_3",
		"VALU_DEP_4",
		"TRANS32_DEP_1",
		"TRANS32_DEP_2",
		"TRANS32_DEP_3",
		"FMA_ACCUM_CYCLE_1",
		"SALU_CYCLE_1",
		"SALU_CYCLE_2",
		"SALU_CYCLE_3",
	};
	t->remark |= !ids[v];
	mx_put(t, "%s(%s)", name, ids[v] ? ids[v] : "");
}

static void put_delay(struct mx_text *t, unsigned v) {
	static const char *const skips[8] = {
		NULL, "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"
	};
	unsigned first = v & 15, skip = v >> 4 & 7, second = v >> 7 & 15;
	if (first)
		put_instid(t, "instid0", first);
	if (skip) {
		t->remark |= !skips[skip];
		mx_put(t, "%sinstskip(%s)", first ? " | " : "", skips[skip] ? skips[skip] : "");
	}
	if (second)
		put_instid(t, first || skip ? " | instid1" : "instid1", second);
	if (!first && !skip && !second)
		mx_put(t, "0");
}

/* Generation, with a flag for each size of waves, and one more. */
static void put_version(struct mx_text *t, unsigned v) {
	static const char *const names[16] = { [0] = "7", [4] = "10", [6] = "11", [9] = "12" };
	static const char *const flags[] = { "W64", "W32", "MDP" };
	enum { FLAGS_LOW = 13 };
	unsigned generation = v & ((1u << FLAGS_LOW) - 1), set = v >> FLAGS_LOW;
	const char *name = generation < 16 ? names[generation] : NULL;
	if (generation > 255) {
		mx_put(t, "0x%x", v);
		return;
	}
	for (unsigned i = 1; i < 3; i++) /* a parenthesis for each flag but the last */
		if (set & (set - 1) && __builtin_popcount(set) > (int)i)
			mx_put(t, "(");
	if (name)
		mx_put(t, "UC_VERSION_GFX%s", name);
	else
		mx_put(t, "%u", generation);
	for (unsigned i = 0; i < 3; i++) {
		if (set >> i & 1)
			mx_put(t, "|UC_VERSION_%s_BIT", flags[i]);
		if (set >> i & 1 && set >> (i + 1))
			mx_put(t, ")");
	}
}

void mx_put_gfx1250_name(struct mx_text *t, const char *kind, unsigned v) {
	if (!strcmp(kind, "hwreg"))
		put_hwreg(t, v);
	else if (!strcmp(kind, "sendmsg"))
		put_sendmsg(t, v);
	else if (!strcmp(kind, "version"))
		put_version(t, v);
	else if (!strcmp(kind, "depctr"))
		put_depctr(t, v);
	else
		put_delay(t, v);
}

/* ---- cache modifiers ---- */

enum { SCOPE_DEV = 2, SCOPE_SYS = 3 };

static void put_scope(struct mx_text *t) {
	static const char *const names[] = { "", " scope:SCOPE_SE", " scope:SCOPE_DEV",
		                             " scope:SCOPE_SYS" };
	mx_put(t, "%s", names[mx_text_field(t, "scope")]);
}

/* The temporal hint of an access that is no atomic. */
static void put_hint(struct mx_text *t, const char *access, const char *third, const char *last) {
	const char *const names[] = { "", "NT", "HT", third, "NT_RT", "RT_NT", "NT_HT", last };
	enum { BYPASS = 3 };
	unsigned v = mx_text_field(t, "th");
	if (v == BYPASS && mx_text_field(t, "scope") == SCOPE_SYS)
		mx_put(t, " th:TH_%s_BYPASS", access);
	else if (v && names[v])
		mx_put(t, " th:TH_%s_%s", access, names[v]);
	else if (v)
		mx_put(t, " th:0x%x", v);
}

/* Of an atomic: it returns the old value, non-temporal, cascades. */
static void put_atomic_hint(struct mx_text *t) {
	static const char *const names[] = { NULL, "RETURN", "NT", "NT_RETURN" };
	unsigned v = mx_text_field(t, "th");
	if (v >= 4 && mx_text_field(t, "scope") >= SCOPE_DEV)
		mx_put(t, " th:TH_ATOMIC_CASCADE_%s", v & 2 ? "NT" : "RT");
	else if (v >= 4)
		mx_put(t, " th:TH_ATOMIC_0x%x", v);
	else if (v)
		mx_put(t, " th:TH_ATOMIC_%s", names[v]);
}

/* ---- matrix modifiers ---- */

static void put_element_format(struct mx_text *t, unsigned i) {
	static const char *const names[8] = { "FP8", "BF8", "FP6", "BF6", "FP4" };
	unsigned v = mx_element_format(t->format, t->code, i);
	if (v && names[v])
		mx_put(t, " matrix_%c_fmt:MATRIX_FMT_%s", "ab"[i], names[v]);
	else if (v)
		mx_put(t, " matrix_%c_fmt:%u", "ab"[i], v);
}

static void put_scale_format(struct mx_text *t, const char *name) {
	static const char *const names[4] = { "E8", "E5M3", "E4M3" };
	unsigned v = mx_text_field(t, name);
	if (v && names[v])
		mx_put(t, " matrix_%s:MATRIX_SCALE_FMT_%s", name, names[v]);
	else if (v)
		mx_put(t, " matrix_%s:%u", name, v);
}

static void put_scale_row(struct mx_text *t, const char *name) {
	if (mx_text_field(t, name))
		mx_put(t, " matrix_%s:MATRIX_SCALE_ROW1", name);
}

static void put_reuse(struct mx_text *t) {
	mx_put(t, "%s%s", mx_text_field(t, "a_reuse") ? " matrix_a_reuse" : "",
	       mx_text_field(t, "b_reuse") ? " matrix_b_reuse" : "");
}

/* ---- others ---- */

static void put_lanes(struct mx_text *t) {
	unsigned v = mx_text_field(t, "lanes");
	mx_put(t, " dpp8:[");
	for (unsigned i = 0; i < 8; i++)
		mx_put(t, "%u%s", v >> 3 * i & 7, i < 7 ? "," : "]");
}

static void put_dpp(struct mx_text *t) {
	if (!mx_adds_dpp(t->format))
		return;
	if (t->format >= MX_FORM_VOP2_DPP8)
		put_lanes(t);
	else
		mx_put_dpp(t, "dpp");
	mx_put(t, "%s", mx_text_field(t, "fi") ? " fi:1" : "");
}

static void put_number(struct mx_text *t, const char *name, unsigned v) {
	if (v)
		mx_put(t, " %s:%u", name, v);
}

/* The bits of byte_sel of v_cvt_f32_fp8 are in the other order. */
static void put_byte_sel(struct mx_text *t) {
	unsigned v = mx_text_field(t, "byte_sel");
	put_number(t, "byte_sel", v >> 1 | (v & 1) << 1);
}

/* FP4 in both operands: the bits of OP_SEL_HI are set. */
static void check_f4(struct mx_text *t) {
	t->invalid |= mx_text_field(t, "op_sel_hi") != 3 || !mx_text_field(t, "op_sel_hi2");
}

bool mx_put_gfx1250_modifier(struct mx_text *t, const char *name) {
	if (!strcmp(name, "scope"))
		put_scope(t);
	else if (!strcmp(name, "th_load"))
		put_hint(t, "LOAD", "LU", NULL);
	else if (!strcmp(name, "th_store"))
		put_hint(t, "STORE", "WB", "NT_WB");
	else if (!strcmp(name, "th_atomic"))
		put_atomic_hint(t);
	else if (!strcmp(name, "a_fmt") || !strcmp(name, "b_fmt"))
		put_element_format(t, *name == 'b');
	else if (!strcmp(name, "a_scale_fmt") || !strcmp(name, "b_scale_fmt"))
		put_scale_format(t, name);
	else if (!strcmp(name, "a_scale") || !strcmp(name, "b_scale"))
		put_scale_row(t, name);
	else if (!strcmp(name, "reuse"))
		put_reuse(t);
	else if (!strcmp(name, "f4"))
		check_f4(t);
	else if (!strcmp(name, "dpp"))
		put_dpp(t);
	else if (!strcmp(name, "byte_sel"))
		put_byte_sel(t);
	else if (!strcmp(name, "byte_sel_hi"))
		put_number(t, "byte_sel", mx_text_field(t, name));
	else if (!strcmp(name, "scale_sel") || !strcmp(name, "index_key"))
		put_number(t, name, mx_text_field(t, name));
	else
		return false;
	return true;
}
