/* Registers and constants as operands [ISA 5.2, 6.2]. */
#include "../encoding/control_flow.h"
#include "findings.h"
#include "registers.h"

/* ---- the start of a wave ---- */

/* Most rows of v_unwritten remain empty while a wave runs: those that are written as a whole have
 * no unwritten lanes. */
static void renew_unwritten(struct mx_wave *w, unsigned vgprs) {
	memset(w->mixed, 0, sizeof w->mixed);
	for (unsigned i = 0; i < vgprs; i++)
		w->unwritten_lanes[i] = w->lanes;
	for (unsigned i = 0; i < w->agprs; i++)
		w->unwritten_lanes[w->first_agpr + i] = w->lanes;
}

/* The initial pattern changes with the seed, so a result that depends on it changes, too. */
static void poison_registers(struct mx_wave *w, uint8_t pattern) {
	memset(w->s, pattern, sizeof w->s);
	memset(w->s_unwritten, 0xff, sizeof w->s_unwritten);
	unsigned all = w->vgprs + w->agprs, first = w->first_agpr;
	unsigned vgprs = all < first ? all : first;
	memset(w->v, pattern, vgprs * sizeof *w->v); /* the wave may take AGPRs as VGPRs */
	memset(w->v + first, pattern, w->agprs * sizeof *w->v);
	renew_unwritten(w, vgprs);
	w->scc = pattern & 1;
	w->scc_unwritten = true;
}

void mx_registers_start(struct mx_wave *w) {
	const struct mx_kernel *k = w->group->run->launch->kernel;
	w->matrices = 0;
	w->products = NULL;
	w->banks = 0;
	w->sched_mode = 0;
	w->unwritten_back = false;
	w->vgprs = k->vgprs;
	w->agprs = k->agprs;
	w->first_agpr = w->group->run->isa->vgprs;
	poison_registers(w, w->group->pattern);
}

/* ---- operands ---- */

/* Inline floats 240..248, as f32 [ISA table of SSRC codes]; 1/(2 pi) is rounded. */
static const uint32_t inline_f32[] = {
	0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
	0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983,
};

/* The same as f64, for 64-bit sources of any type [LLVM: s_mov_b64 with 1.0]. */
static const uint64_t inline_f64[] = {
	0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
	0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
	0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882,
};

/* The 4 GiB of flat addresses of LDS or scratch. */
static uint64_t aperture(const struct mx_wave *w, unsigned code) {
	bool shared = code >= MX_SHARED_BASE && code < MX_PRIVATE_BASE;
	uint32_t high = shared ? MX_SHARED_APERTURE : w->group->run->isa->scratch_high;
	bool limit = code == MX_SHARED_LIMIT || code == MX_PRIVATE_LIMIT;
	return (uint64_t)high << 32 | (limit ? 0xffffffff : 0);
}

uint32_t mx_constant(const struct mx_wave *w, const struct mx_inst *in, unsigned code) {
	if (w->group->run->isa->scratch_lane && code / 2 == MX_FLAT_SCRATCH_BASE / 2)
		return code % 2 ? w->group->run->isa->scratch_high : 0;
	if (code >= MX_FLOAT_0_5 && code <= MX_FLOAT_1_2PI)
		return inline_f32[code - MX_FLOAT_0_5];
	switch (code) {
	case MX_SHARED_BASE:
	case MX_SHARED_LIMIT:
	case MX_PRIVATE_BASE:
	case MX_PRIVATE_LIMIT: break; /* valid only as pairs [LLVM SIISelLowering.cpp] */
	case MX_LITERAL64:
		if (!in->wide_literal)
			break;
		return in->literal;
	case MX_LITERAL: return in->literal;
	case MX_VCCZ: return mx_lane_mask(w, MX_VCC) == 0;
	case MX_EXECZ: return mx_exec(w) == 0;
	case MX_SCC: return w->scc;
	}
	mx_find((struct mx_wave *)w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(SCALAR_CODE, code));
	return 0;
}

/* Integers are sign-extended to 64 bits; literals only if the source is signed [ISA 6.2.1]. */
uint64_t mx_sread64(const struct mx_wave *w, const struct mx_inst *in, unsigned code) {
	if (mx_is_scalar_register(code))
		return mx_pair(w->s + code);
	if (code >= MX_FLOAT_0_5 && code <= MX_FLOAT_1_2PI)
		return inline_f64[code - MX_FLOAT_0_5];
	bool scratch = code == MX_FLAT_SCRATCH_BASE && w->group->run->isa->scratch_lane;
	if (scratch || (code >= MX_SHARED_BASE && code <= MX_PRIVATE_LIMIT))
		return aperture(w, code);
	if (code == MX_LITERAL64 && in->wide_literal)
		return in->literal | (uint64_t)in->literal_high << 32;
	uint32_t v = mx_sread(w, in, code);
	bool extend = (code >= MX_INT_NEG_1 && code <= MX_INT_NEG_16) ||
	              (code == MX_LITERAL && in->op->flags & MX_SIGNED);
	return extend ? (uint64_t)(int32_t)v : v;
}

bool mx_zero_unwritten(const struct mx_wave *w, unsigned code) {
	uint64_t value = mx_lane_mask(w, code);
	uint64_t unwritten = mx_pair(w->s_unwritten + code) & w->lanes;
	return unwritten && !(value & ~unwritten);
}

uint32_t mx_constant_unwritten(const struct mx_wave *w, unsigned code) {
	switch (code) {
	case MX_VCCZ: return mx_zero_unwritten(w, MX_VCC);
	case MX_SCC: return w->scc_unwritten;
	default: return 0;
	}
}

uint64_t mx_sread64_unwritten(const struct mx_wave *w, unsigned code) {
	return mx_is_scalar_register(code) ? mx_pair(w->s_unwritten + code)
	                                   : mx_sread_unwritten(w, code);
}

void mx_swrite(struct mx_wave *w, unsigned code, uint32_t value, uint32_t unwritten) {
	if (code >= MX_SGPR_FILE) /* MX_NULL, and the register after it */
		return;
	w->s[code] = value;
	w->s_unwritten[code] = unwritten;
	if (w->wanted & MX_WATCH_SGPR)
		mx_watch_sgpr(w, code);
}

void mx_swrite64(struct mx_wave *w, unsigned code, uint64_t value, uint64_t unwritten) {
	mx_swrite(w, code, (uint32_t)value, (uint32_t)unwritten);
	mx_swrite(w, code + 1, (uint32_t)(value >> 32), (uint32_t)(unwritten >> 32));
}

void mx_write_lane_mask(struct mx_wave *w, unsigned code, uint64_t mask, uint64_t unwritten) {
	mx_swrite(w, code, (uint32_t)mask, (uint32_t)unwritten);
	if (w->lanes >> 32)
		mx_swrite(w, code + 1, (uint32_t)(mask >> 32), (uint32_t)(unwritten >> 32));
}

void mx_write_exec(struct mx_wave *w, const struct mx_inst *in, uint64_t value,
                   uint64_t unwritten) {
	unwritten &= w->lanes;
	if (unwritten)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(EXEC_UNWRITTEN));
	mx_swrite64(w, MX_EXEC, value & w->lanes, 0);
}

void mx_swrite_result(struct mx_wave *w, const struct mx_inst *in, uint64_t value,
                      uint64_t unwritten) {
	if (in->op->d == 2)
		mx_swrite64(w, mx_result(in), value, unwritten);
	else if (in->op->d)
		mx_swrite(w, mx_result(in), (uint32_t)value, (uint32_t)unwritten);
	if (in->op->d && (mx_result(in) == MX_EXEC || mx_result(in) == MX_EXEC + 1))
		mx_write_exec(w, in, mx_exec(w), mx_pair(w->s_unwritten + MX_EXEC));
}

/* A wave has one register file. VGPRs begin at its start, AGPRs at ACCUM_OFFSET [LLVM "Kernel
 * Descriptor"]. In a kernel without AGPRs, a VGPR past that offset is a register of its own, if it
 * is allocated; published attention kernels use such VGPRs. */
static bool take_agprs(struct mx_wave *w, const struct mx_inst *in, unsigned end) {
	const struct mx_launch *l = w->group->run->launch;
	uint64_t entry = l->kernel->entry - mx_program_base(l->program);
	if (end > w->vgprs + w->agprs || mx_program_uses_agprs(l->program, entry))
		return false;
	mx_assume(w, in, 0, MX_ASSUMES_ACCUM_OFFSET);
	w->vgprs += w->agprs;
	w->agprs = 0;
	return true;
}

bool mx_more_vgprs(struct mx_wave *w, const struct mx_inst *in, unsigned row, unsigned n) {
	unsigned first = w->first_agpr;
	if (row + n <= first && take_agprs(w, in, row + n))
		return true;
	mx_find(w, in, MX_UNSUPPORTED, -1, 0,
	        row >= first ? MX_BECAUSE(AGPR_BEYOND, row + n - 1 - first, w->agprs)
	                     : MX_BECAUSE(VGPR_BEYOND, row + n - 1, w->vgprs));
	return false;
}

uint32_t *mx_mixed_row(struct mx_wave *w, unsigned row) {
	if (!mx_is_mixed(w, row))
		memset(w->v_unwritten[row], 0xff, sizeof *w->v_unwritten);
	w->mixed[row / 64] |= 1ull << row % 64;
	return w->v_unwritten[row];
}

void mx_note_unwritten(struct mx_wave *w, unsigned row, uint64_t lanes, const uint32_t *unwritten) {
	uint64_t mask = w->unwritten_lanes[row] & ~lanes;
	if (unwritten) {
		mx_copy_lanes(mx_mixed_row(w, row), lanes, unwritten);
		mask |= mx_lanes_not_zero(unwritten) & lanes;
	}
	w->unwritten_lanes[row] = mask;
}
