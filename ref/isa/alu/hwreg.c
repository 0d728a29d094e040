/* Hardware registers, accessed by s_getreg and s_setreg [ISA 3.4, 3.5, 3.10, 3.12, 5.8].
 *
 * A read of a field with a bit that the emulator does not model stops the launch. */
#include "../encoding/gfx950.h"
#include "../encoding/hwreg.h"
#include "../machine/findings.h"
#include "../machine/registers.h"
#include "../schedule/inflight.h"
#include "../schedule/random.h"
#include "functions.h"

/* ---- the place of a wave ---- */

enum {
	XCCS = 8,
	ENGINES = 4, /* per XCC, with 8 compute units each */
	UNITS = 8,
	SIMDS = 4,
	SLOTS = 8, /* waves per SIMD */
	PIPES = 4,
};

/* The place of a wave on the device, as HW_ID, XCC_ID and LDS_ALLOC report it. */
struct placement {
	unsigned xcc, engine, unit, simd, slot; /* shader engine, compute unit, wave buffer slot */
	unsigned pipe, group;                   /* dispatching pipe; thread-group id */
	uint32_t lds_base;
};

/* The seed decides the place, so that a result that depends on it changes with the seed. The waves
 * of a workgroup are on one compute unit, each in its own slot. Concurrent workgroups may get the
 * same slots, unlike on hardware. */
static struct placement placement(const struct mx_wave *w) {
	const struct mx_group *g = w->group;
	const struct mx_launch *l = g->run->launch;
	const uint64_t stream = 1ull << 63; /* no schedule uses this stream */
	uint64_t index = g->id[0] + (g->id[1] + (uint64_t)g->id[2] * l->grid[1]) * l->grid[0];
	struct mx_random r;
	mx_random_seed(&r, l->seed, stream + index);
	struct placement p = { .xcc = mx_random_below(&r, XCCS),
		               .engine = mx_random_below(&r, ENGINES),
		               .unit = mx_random_below(&r, UNITS),
		               .pipe = mx_random_below(&r, PIPES),
		               .group = mx_random_below(&r, 16),
		               .lds_base =
		                       mx_random_below(&r, 1 + MX_LDS_MAX - w->group->lds_bytes) };
	unsigned first = mx_random_below(&r, SIMDS * SLOTS), slot = first + w->index;
	p.simd = slot % SIMDS;
	p.slot = slot / SIMDS % SLOTS;
	return p;
}

static uint32_t hw_id(const struct mx_wave *w) {
	struct placement p = placement(w);
	return p.slot | p.simd << 4 | p.pipe << 6 | p.unit << 8 | p.engine << 13 | p.group << 16;
}

/* ---- reading ---- */

static struct mx_hw_value status(const struct mx_wave *w) {
	enum {
		SCC = 1 << 0,
		WAVE_PRIO_SHIFT = 3,
		EXECZ = 1 << 9,
		VCCZ = 1 << 10,
		IN_TG = 1 << 11,
		VALID = 1 << 16,
		SCRATCH_EN = 1 << 28,
		/* Halt, debug and trap bits are 0 here. Unknown: TRAP_EN, PERF_EN, ALLOW_REPLAY,
		 * IDLE and unnamed bits. */
		KNOWN = 0x10b37e3f,
	};
	struct mx_hw_value v = { .known = KNOWN, .bits = VALID };
	v.bits |= w->scc ? SCC : 0;
	v.bits |= w->priority << WAVE_PRIO_SHIFT;
	v.bits |= mx_exec(w) ? 0 : EXECZ;
	v.bits |= mx_pair(w->s + MX_VCC) ? 0 : VCCZ;
	v.bits |= w->group->n_waves > 1 ? IN_TG : 0;
	v.bits |= w->group->run->launch->kernel->scratch_bytes ? SCRATCH_EN : 0;
	v.unwritten = (w->scc_unwritten ? SCC : 0) | (mx_zero_unwritten(w, MX_VCC) ? VCCZ : 0);
	return v;
}

/* In units of 64 dwords; the allocation granularity is 1280 bytes [ISA 3.6.5, table 22]. */
static uint32_t lds_alloc(const struct mx_wave *w) {
	enum { GRANULE = 1280, UNIT = 256, BASE_MASK = 511, SIZE_SHIFT = 12 };
	uint32_t size = (w->group->lds_bytes + GRANULE - 1) / GRANULE * GRANULE;
	uint32_t base = placement(w).lds_base / GRANULE * GRANULE;
	return (base / UNIT & BASE_MASK) | size / UNIT << SIZE_SHIFT;
}

static uint32_t ib_sts(const struct mx_wave *w) {
	unsigned vmcnt = mx_count(w->counts, MX_COUNTER_VM);
	return (vmcnt & 15) | vmcnt >> 4 << 22 | mx_count(w->counts, MX_COUNTER_LGKM) << 8;
}

/* Floating-point exceptions of TRAPSTS are not modelled; MODE enables none, so no trap was taken.
 * GPR_ALLOC as the manual describes it cannot express 512 VGPRs. */
struct mx_hw_value mx_gfx950_read_hwreg(const struct mx_wave *w, unsigned reg) {
	switch (reg) {
	case MX_HW_MODE: return (struct mx_hw_value){ w->mode, ~0u, 0 };
	case MX_HW_STATUS: return status(w);
	case MX_HW_TRAPSTS: return (struct mx_hw_value){ 0, 0x003f7c00, 0 };
	case MX_HW_ID: return (struct mx_hw_value){ hw_id(w), ~0u, 0 };
	case MX_HW_LDS_ALLOC: return (struct mx_hw_value){ lds_alloc(w), 0x003ff1ff, 0 };
	case MX_HW_IB_STS: return (struct mx_hw_value){ ib_sts(w), 0x00c00f7f, 0 };
	case MX_HW_SH_MEM_BASES:
		return (struct mx_hw_value){ MX_SHARED_APERTURE | MX_PRIVATE_APERTURE >> 16, ~0u,
			                     0 };
	case MX_HW_XCC_ID: return (struct mx_hw_value){ placement(w).xcc, ~0u, 0 };
	default: return (struct mx_hw_value){ 0 };
	}
}

/* ---- writing ---- */

/* Bits that s_setreg may set. The others enable single-stepping, floating-point traps or context
 * save, or have no name. */
static uint32_t may_be_set(unsigned reg) {
	enum { EXCP = 0x1ff };
	return reg == MX_HW_MODE ? MX_MODE_BITS : EXCP;
}

/* Writes of read-only registers are ignored. */
void mx_gfx950_write_hwreg(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
                           uint32_t unwritten) {
	struct mx_hw_field f = mx_hw_field(in);
	if (f.reg < MX_HW_MODE || f.reg > MX_HW_LAST_DOCUMENTED ||
	    (f.reg > MX_HW_IB_STS && f.reg < MX_HW_TBA_LO))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0, MX_BECAUSE(HWREG, f.reg));
	if (f.reg != MX_HW_MODE && f.reg != MX_HW_TRAPSTS)
		return;
	value <<= f.offset;
	if (value & ~may_be_set(f.reg))
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE(HWREG_BITS, value & ~may_be_set(f.reg), f.reg));
	if (unwritten)
		mx_find(w, in, MX_UNWRITTEN, -1, 0, MX_BECAUSE(HWREG_UNWRITTEN));
	if (f.reg == MX_HW_MODE)
		w->mode = (w->mode & ~(f.mask << f.offset)) | value;
}

/* ---- the instructions: SIMM16 is size - 1, offset, register ---- */

mx_handler mx_x_s_getreg_b32, mx_x_s_setreg_b32, mx_x_s_setreg_imm32_b32;

void mx_x_s_getreg_b32(struct mx_wave *w, const struct mx_inst *in) {
	struct mx_hw_field f = mx_hw_field(in);
	struct mx_hw_value v = w->group->run->isa->read_hwreg(w, f.reg);
	if (in->assumes)
		mx_assume(w, in, 0, in->assumes);
	if (f.mask << f.offset & ~v.known)
		mx_find(w, in, MX_UNSUPPORTED, -1, 0,
		        MX_BECAUSE(HWREG_UNKNOWN, f.mask << f.offset, f.reg));
	mx_swrite(w, mx_result(in), v.bits >> f.offset & f.mask, v.unwritten >> f.offset & f.mask);
}

static void set_register(struct mx_wave *w, const struct mx_inst *in, uint32_t value,
                         uint32_t unwritten) {
	uint32_t mask = mx_hw_field(in).mask;
	w->group->run->isa->write_hwreg(w, in, value & mask, unwritten & mask);
}

void mx_x_s_setreg_b32(struct mx_wave *w, const struct mx_inst *in) {
	set_register(w, in, mx_sread(w, in, mx_source(in, 0)),
	             mx_sread_unwritten(w, mx_source(in, 0)));
}

void mx_x_s_setreg_imm32_b32(struct mx_wave *w, const struct mx_inst *in) {
	set_register(w, in, in->literal, 0);
}
