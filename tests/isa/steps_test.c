/* The vector ALU's functions for each step of the CPU against those for the oldest CPU: the same
 * results for the same sources, modifiers and MODE. */
#include "../../ref/isa/alu/functions.h"
#include "../../ref/isa/encoding/operand_types.h"
#include "../random.h"
#include "../tap.h"

#include <fenv.h>
#include <string.h>

enum { ROUNDS = 24 };

static const struct opcode {
	const char *name;
	mx_opcode id;
	unsigned dwords, type;
} opcodes[] = {
#define MX_VALU(encoding, name, d, ...) { #name, MX_OP_##name, MX_DWORDS_##d, MX_TYPE_##d },
#define MX_VCMP(encoding, name, ...)    { #name, MX_OP_##name, 0, MX_TYPE_NONE },
#include "../../ref/isa/encoding/opcodes.def"
};

static uint64_t state = 1;

/* A dword with special values of f32, f16 and bf16 in it, and of f64 as a high dword. */
static uint32_t dword(void) {
	static const uint32_t special[] = {
		0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00001, 0x7f800001, 0xffc12345,
		0x00000001, 0x807fffff, 0x7f7fffff, 0x7c007c00, 0xfc007e01, 0x7c010001, 0x03ff8000,
		0x7bff3c00, 0x7ff00000, 0xfff80000, 0x7ff00001, 0x3f800000, 0xffffffff, 0x4f000000,
	};
	uint64_t r = next_random(&state);
	switch (r >> 61) {
	case 0: return special[(uint32_t)r % (sizeof special / sizeof *special)];
	case 1: return (uint32_t)r % 128;
	case 2: return (uint32_t)r & 0x80ffffff;
	case 3: return ((uint32_t)r & 0x8fffffff) + 0x38000000; /* f32 near 1 */
	case 4: return ((uint32_t)r & 0x8fff8fff) + 0x38003800; /* f16 near 1 */
	default: return (uint32_t)r;
	}
}

/* x without sources. */
static struct mx_lanes operation(void) {
	uint64_t r = next_random(&state);
	return (struct mx_lanes){
		.mask_in = next_random(&state),
		.mode = (uint32_t)r & (0x3ff | 1u << MX_MODE_FP16_OVFL),
		.truth = (uint8_t)(r >> 32),
		.op_sel = r >> 40 & 7,
		.op_sel_hi = r >> 43 & 7,
		.neg = r >> 46 & 7,
		.abs = r >> 49 & 7,
		.clamp = r >> 52 & 1,
	};
}

/* Bits of each dword that are part of the result. */
static uint32_t result_bits(unsigned type) {
	const struct mx_type_info *t = &mx_operand_types[type];
	return t->bits == 16 && t->elements == 1 ? 0xffff : 0xffffffff;
}

static bool same(const struct opcode *op, const struct mx_lanes *x, const struct mx_lanes *y) {
	for (unsigned h = 0; h < op->dwords; h++)
		for (unsigned l = 0; l < MX_LANES; l++)
			if ((x->d[h][l] ^ y->d[h][l]) & result_bits(op->type)) {
				diag("%s, lane %u: 0x%08x, plain 0x%08x", op->name, l, y->d[h][l],
				     x->d[h][l]);
				return false;
			}
	return x->mask_out == y->mask_out && x->assumed == y->assumed &&
	       (!x->assumed || x->rule == y->rule);
}

/* In a round all lanes have the same rounding of the host. */
static bool agrees(const struct opcode *op, mx_lane_function *plain, mx_lane_function *f) {
	static const int host[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
	static uint32_t s[3 * MX_VALU_DWORDS][MX_LANES];
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct mx_lanes x = operation(), y;
		for (unsigned i = 0; i < 3 * MX_VALU_DWORDS; i++)
			for (unsigned l = 0; l < MX_LANES; l++)
				s[i][l] = dword();
		for (unsigned i = 0; i < 3; i++)
			x.s[i] = (const uint32_t(*)[MX_LANES])s[i * MX_VALU_DWORDS];
		y = x;
		fesetround(host[round % 4]);
		plain(&x);
		f(&y);
		fesetround(FE_TONEAREST);
		if (!same(op, &x, &y))
			return false;
	}
	return true;
}

static void test_step(enum mx_cpu step, mx_lane_function *const *functions) {
	unsigned n = sizeof opcodes / sizeof *opcodes, right = 0;
	if (!mx_cpu_has(step)) {
		ok(true, "%s # SKIP this CPU does not have it", mx_cpu_name(step));
		return;
	}
	for (const struct opcode *op = opcodes; op < opcodes + n; op++)
		right += agrees(op, mx_lane_table[op->id], functions[op->id]);
	ok(right == n, "%s: %u of %u functions give the bits of the plain ones", mx_cpu_name(step),
	   right, n);
}

int main(void) {
#ifdef __x86_64__
	test_step(MX_CPU_V3, mx_lane_table_v3);
	test_step(MX_CPU_V4, mx_lane_table_v4);
	ok(mx_lane_functions() == (mx_cpu_has(MX_CPU_V4)   ? mx_lane_table_v4
	                           : mx_cpu_has(MX_CPU_V3) ? mx_lane_table_v3
	                                                   : mx_lane_table),
	   "the emulator takes those of this CPU's highest step");
#endif
	return done_testing();
}
