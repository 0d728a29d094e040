/* The instruction set of gfx950: its decoder, its opcodes, and the functions that execute them. */
#include "../encoding/decode.h"
#include "../encoding/disasm.h"
#include "../encoding/gfx950.h"
#include "../encoding/instruction_set.h"
#include "../memory/ds.h"
#include "../waitstates/hazard.h"
#include "launch.h"

extern mx_handler mx_exec_salu, mx_exec_valu, mx_exec_vcmp, mx_exec_mfma, mx_exec_cvt, mx_exec_SMEM,
	mx_exec_DS, mx_exec_FLAT, mx_exec_SCRATCH, mx_exec_GLOBAL, mx_exec_MUBUF, mx_exec_MTBUF;
#define MX_FLOW(encoding, name, ...) extern mx_handler mx_x_##name;
#define MX_LDS(encoding, name, ...)  extern mx_handler mx_x_##name;
#include "../encoding/opcodes.def"

static mx_handler *const handlers[MX_OPS] = {
#define MX_SALU(encoding, name, ...)   [MX_OP_##name] = mx_exec_salu,
#define MX_FLOW(encoding, name, ...)   [MX_OP_##name] = mx_x_##name,
#define MX_VALU(encoding, name, ...)   [MX_OP_##name] = mx_exec_valu,
#define MX_VCMP(encoding, name, ...)   [MX_OP_##name] = mx_exec_vcmp,
#define MX_MATRIX(encoding, name, ...) [MX_OP_##name] = mx_exec_mfma,
#define MX_CVT(encoding, id, ...)      [MX_OP_v_cvt_##id] = mx_exec_cvt,
#define MX_SMEM_ACCESS(name, ...)      [MX_OP_##name] = mx_exec_SMEM,
#define MX_SMEM_ATOMIC(name, ...)      [MX_OP_##name] = mx_exec_SMEM,
#define MX_MEMORY(encoding, name, ...) [MX_OP_##name] = mx_exec_##encoding,
#define MX_LDS(encoding, name, ...)    [MX_OP_##name] = mx_x_##name,
#define MX_ATOMIC(encoding, name, ...) [MX_OP_##name] = mx_exec_##encoding,
#include "../encoding/opcodes.def"
};

static mx_handler *const *handlers_of_this_cpu(void) {
	return handlers;
}

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
	.n_barriers = 1,
	.barrier = "s_barrier",
	.arrival = "s_barrier",
	.wait_with = wait_with,
	.nop = { "s_nop", 0xbf800000 },
	.mode_skip = MX_MODE_VSKIP,
	.mode_index = MX_MODE_GPR_IDX_EN,
	.start = mx_gfx950_start,
	.unsupported = mx_gfx950_unsupported,
	.ops = mx_gfx950_ops,
	.n_ops = MX_OPS,
	.encodings = &mx_gfx950_encodings,
	.decode = mx_gfx950_decode,
	.disassemble = mx_gfx950_disassemble,
	.handlers = handlers_of_this_cpu,
	.hazards = &mx_gfx950_hazards,
	.bank_conflicts = mx_gfx950_bank_conflicts,
};
