/* The functions of the scalar ALU, by opcode, and those of the vector ALU for this CPU. */
#include "functions.h"

#include <stdatomic.h>

#define MX_SALU(encoding, name, ...) extern mx_scalar_function mx_s_##name;
#include "../encoding/opcodes.def"

mx_scalar_function *const mx_scalar_functions[MX_OPS] = {
#define MX_SALU(encoding, name, ...) [MX_OP_##name] = mx_s_##name,
#include "../encoding/opcodes.def"
};

/* Threads that meet here choose the same. */
mx_lane_function *const *mx_lane_functions(void) {
	static mx_lane_function *const *_Atomic chosen;
	mx_lane_function *const *table = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (!table) {
		table = MX_BY_STEP(mx_lane_table);
		atomic_store_explicit(&chosen, table, memory_order_relaxed);
	}
	return table;
}
