/* The functions that execute the opcodes of opcodes.def. */
#include "launch.h"

extern mx_handler mx_exec_salu, mx_exec_scalar_as, mx_exec_valu, mx_exec_vcmp, mx_exec_mfma,
	mx_exec_cvt, mx_exec_SMEM, mx_exec_DS, mx_exec_FLAT, mx_exec_SCRATCH, mx_exec_GLOBAL,
	mx_exec_MUBUF, mx_exec_MTBUF;
#define MX_FLOW(encoding, name, ...) extern mx_handler mx_x_##name;
#define MX_LDS(encoding, name, ...)  extern mx_handler mx_x_##name;
#include "../encoding/opcodes.def"

static mx_handler *const handlers[MX_OPS] = {
#define MX_SALU(encoding, name, ...)      [MX_OP_##name] = mx_exec_salu,
#define MX_FLOW(encoding, name, ...)      [MX_OP_##name] = mx_x_##name,
#define MX_VALU(encoding, name, ...)      [MX_OP_##name] = mx_exec_valu,
#define MX_VCMP(encoding, name, ...)      [MX_OP_##name] = mx_exec_vcmp,
#define MX_SCALAR_AS(encoding, name, ...) [MX_OP_##name] = mx_exec_scalar_as,
#define MX_MATRIX(encoding, name, ...)    [MX_OP_##name] = mx_exec_mfma,
#define MX_CVT(encoding, id, ...)         [MX_OP_v_cvt_##id] = mx_exec_cvt,
#define MX_SMEM_ACCESS(name, ...)         [MX_OP_##name] = mx_exec_SMEM,
#define MX_SMEM_ATOMIC(name, ...)         [MX_OP_##name] = mx_exec_SMEM,
#define MX_MEMORY(encoding, name, ...)    [MX_OP_##name] = mx_exec_##encoding,
#define MX_LDS(encoding, name, ...)       [MX_OP_##name] = mx_x_##name,
#define MX_ATOMIC(encoding, name, ...)    [MX_OP_##name] = mx_exec_##encoding,
#include "../encoding/opcodes.def"
};

mx_handler *const *mx_all_handlers(void) {
	return handlers;
}
