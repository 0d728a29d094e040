/* The instruction set of gfx950. */
#include "../encoding/decode.h"
#include "../encoding/disasm.h"
#include "../encoding/gfx950.h"
#include "../encoding/hwreg.h"
#include "../encoding/instruction_set.h"
#include "../alu/functions.h"
#include "../memory/ds.h"
#include "../memory/together.h"
#include "../waitstates/hazard.h"
#include "launch.h"

static uint32_t wait_with(uint32_t dword, mx_counts wait) {
	return mx_wait_into(dword, (struct mx_wait){ (uint8_t)mx_count(wait, MX_COUNTER_VM),
	                                             (uint8_t)mx_count(wait, MX_COUNTER_LGKM) });
}

const struct mx_isa mx_gfx950 = {
	.name = "gfx950",
	.wave_size = 64,
	.vgprs = MX_VGPRS,
	.agprs = MX_AGPRS,
	/* vmcnt operations return in issue order, loads and stores mixed. LDS operations return in
	 * issue order among themselves. Scalar loads return in any order, also with respect to LDS
	 * [ISA 4.4, 8.3]. A FLAT instruction is two operations, one of each counter. Its LDS
	 * operation returns in any order. Its memory operation returns in any order if no lane has
	 * an address in memory; otherwise it returns in order with the others of vmcnt. Compiled
	 * code relies on this order if the address space is known [ISA 10.2; LLVM
	 * "SIInsertWaitcnts": pending FLAT]. */
	.n_counters = MX_GFX950_COUNTERS,
	.counter = { [MX_COUNTER_VM] = { "vmcnt", MX_VMCNT_MAX, "s_waitcnt vmcnt", "(", ")" },
	             [MX_COUNTER_LGKM] = { "lgkmcnt", MX_LGKMCNT_MAX, "s_waitcnt lgkmcnt", "(",
	                                   ")" } },
	.n_streams = MX_GFX950_STREAMS,
	.stream = { [MX_STREAM_VM] = { MX_COUNTER_VM, MX_PATH_MEMORY, MX_IN_ORDER },
	            [MX_STREAM_SCRATCH] = { MX_COUNTER_VM, MX_PATH_SCRATCH, MX_IN_ORDER },
	            [MX_STREAM_DS] = { MX_COUNTER_LGKM, MX_PATH_LDS, MX_IN_ORDER },
	            [MX_STREAM_SM] = { MX_COUNTER_LGKM, MX_PATH_SCALAR, MX_ANY_ORDER },
	            [MX_STREAM_FL] = { MX_COUNTER_VM, MX_PATH_FLAT, MX_ANY_ORDER } },
	.scratch_apart = MX_STREAM_SCRATCH,
	.flat_apart = MX_STREAM_FL,
	.scratch_high = MX_PRIVATE_APERTURE,
	.n_barriers = 1,
	.barrier = "s_barrier",
	.arrival = "s_barrier",
	.wait_with = wait_with,
	.one_l1 = true,
	.nop = { "s_nop", 0xbf800000 },
	.matrix = "MFMA",
	.settled_hwregs = 1ull << MX_HW_MODE,
	.mode_skip = MX_MODE_VSKIP,
	.mode_index = MX_MODE_GPR_IDX_EN,
	.start = mx_gfx950_start,
	.read_hwreg = mx_gfx950_read_hwreg,
	.write_hwreg = mx_gfx950_write_hwreg,
	.unsupported = mx_gfx950_unsupported,
	.ops = mx_gfx950_ops,
	.n_ops = MX_FIRST_OF_GFX1250,
	.encodings = &mx_gfx950_encodings,
	.decode = mx_gfx950_decode,
	.disassemble = mx_gfx950_disassemble,
	.handlers = mx_all_handlers,
	.access_of = mx_access_of,
	.land_access = mx_access_land,
	.hazards = &mx_gfx950_hazards,
	.bank_conflicts = mx_gfx950_bank_conflicts,
};
