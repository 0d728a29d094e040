/* Hardware registers of gfx1250 [LLVM "SIDefines.h", hwreg names of gfx12]. */
#include "../encoding/gfx1250.h"
#include "../encoding/hwreg.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "functions.h"

/* MODE: rounding and denormals, FP16_OVFL, and bit 25, which compiled code sets and which has no
 * effect here [assumed]. Banks are in bits 19:12 and in w->banks alone. */
enum {
	BANKS = 0xff << MX_MODE_BANKS_SHIFT,
	MODE_BITS = 0xff | 1 << 23 | 1 << 25 | BANKS,
};

static uint32_t banks_in_mode(const struct mx_wave *w) {
	return (uint32_t)(uint8_t)(w->banks << 2 | w->banks >> 6) << MX_MODE_BANKS_SHIFT;
}

/* IB_STS2 has the physical number of the cluster, of which compiled code reads whether it is 0,
 * that is, there is none; and the place of the workgroup in it. */
static struct mx_hw_value cluster_of(const struct mx_group *g) {
	enum { NUMBER = 6, PLACE = 21, KNOWN = 0xf << NUMBER | 0xf << PLACE };
	return (struct mx_hw_value){ g->cluster ? 1u << NUMBER | g->rank << PLACE : 0, KNOWN, 0 };
}

struct mx_hw_value mx_gfx1250_read_hwreg(const struct mx_wave *w, unsigned reg) {
	switch (reg) {
	case MX_HW_MODE: return (struct mx_hw_value){ w->mode | banks_in_mode(w), MODE_BITS, 0 };
	case MX_HW_IB_STS2: return cluster_of(w->group);
	default: return (struct mx_hw_value){ 0 };
	}
}

/* MODE[3:0] rounds, MODE[7:4] keeps denormals. */
mx_handler mx_x_s_round_mode, mx_x_s_denorm_mode;
void mx_x_s_round_mode(struct mx_wave *w, const struct mx_inst *in) {
	w->mode = (w->mode & ~15u) | ((uint32_t)in->imm & 15);
}
void mx_x_s_denorm_mode(struct mx_wave *w, const struct mx_inst *in) {
	w->mode = (w->mode & ~0xf0u) | ((uint32_t)in->imm & 15) << 4;
}

/* s_setreg_imm32_b32 sets the banks from bits 19:12 of its literal, whichever field it names [LLVM
 * "AMDGPULowerVGPREncoding"]. SCHED_MODE has no effect on results, because instructions execute in
 * order; in expert mode dependences are checked (waitstates/dependence.h). */
void mx_gfx1250_write_hwreg(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
                            uint32_t unwritten) {
	struct mx_hw_field f = mx_hw_field(in);
	uint32_t field = f.mask << f.offset, mode = w->mode | banks_in_mode(w);
	if (unwritten)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(HWREG_UNWRITTEN));
	if (f.reg != MX_HW_MODE && f.reg != MX_HW_SCHED_MODE)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(HWREG, f.reg));
	value <<= f.offset;
	if (f.reg == MX_HW_SCHED_MODE)
		w->sched_mode = (w->sched_mode & ~field) | value;
	if (f.reg != MX_HW_MODE)
		return;
	if (value & ~(uint32_t)MODE_BITS)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE(HWREG_BITS, value & ~(uint32_t)MODE_BITS, f.reg));
	mode = (mode & ~field) | value;
	w->mode = mode & ~(uint32_t)BANKS;
	w->banks = (uint8_t)mx_banks_of_mode(mx_source(in, 0) == MX_LITERAL ? in->literal : mode);
}
