/* Scalar ALU opcodes [ISA 12.1 to 12.4]: one function per opcode.
 *
 * D, S0, S1 are 32-bit views, W* 64-bit, I* signed. */
#include "salu.h"

#define S0 ((uint32_t)x->a)
#define S1 ((uint32_t)x->b)
#define I0 ((int32_t)x->a)
#define I1 ((int32_t)x->b)
#define W0 (x->a)
#define W1 (x->b)
#define SALU(name, body)                                                                           \
	void mx_s_##name(struct mx_scalars *x);                                                    \
	void mx_s_##name(struct mx_scalars *x) {                                                   \
		body;                                                                              \
	}
#define D32(value) (x->d = (uint32_t)(value))
#define D64(value) (x->d = (uint64_t)(value))

/* Most opcodes set SCC if the result is not zero. */
#define SALU_NZ(name, assign)     SALU(name, assign; x->scc = x->d != 0)
#define SALU_CMP(name, condition) SALU(name, x->scc = (condition))

SALU(s_add_u32, D32(S0 + S1); x->scc = (uint32_t)x->d < S0)
SALU(s_sub_u32, D32(S0 - S1); x->scc = S1 > S0)
SALU(s_add_i32, int32_t r; x->scc = __builtin_add_overflow(I0, I1, &r); D32(r))
SALU(s_sub_i32, int32_t r; x->scc = __builtin_sub_overflow(I0, I1, &r); D32(r))
SALU(s_addc_u32, uint64_t r = (uint64_t)S0 + S1 + x->scc; D32(r); x->scc = r >> 32)
SALU(s_subb_u32, uint64_t r = (uint64_t)S1 + x->scc; D32(S0 - r); x->scc = r > S0)
SALU(s_min_i32, D32(I0 < I1 ? I0 : I1); x->scc = I0 < I1)
SALU(s_min_u32, D32(S0 < S1 ? S0 : S1); x->scc = S0 < S1)
SALU(s_max_i32, D32(I0 > I1 ? I0 : I1); x->scc = I0 >= I1)
SALU(s_max_u32, D32(S0 > S1 ? S0 : S1); x->scc = S0 >= S1)
SALU(s_cselect_b32, D32(x->scc ? S0 : S1))
SALU(s_cselect_b64, D64(x->scc ? W0 : W1))

#define LOGIC(name, a, b, op)                                                                      \
	SALU_NZ(s_##name##_b32, D32(op(a, b)))                                                     \
	SALU_NZ(s_##name##_b64, D64(op(a, b)))
#define AND(a, b)  ((a) & (b))
#define OR(a, b)   ((a) | (b))
#define XOR(a, b)  ((a) ^ (b))
#define NAND(a, b) (~((a) & (b)))
#define NOR(a, b)  (~((a) | (b)))
#define XNOR(a, b) (~((a) ^ (b)))
LOGIC(and, W0, W1, AND)
LOGIC(or, W0, W1, OR)
LOGIC(xor, W0, W1, XOR)
LOGIC(andn2, W0, ~W1, AND)
LOGIC(orn2, W0, ~W1, OR)
LOGIC(nand, W0, W1, NAND)
LOGIC(nor, W0, W1, NOR)
LOGIC(xnor, W0, W1, XNOR)

SALU_NZ(s_lshl_b32, D32(S0 << (S1 & 31)))
SALU_NZ(s_lshl_b64, D64(W0 << (S1 & 63)))
SALU_NZ(s_lshr_b32, D32(S0 >> (S1 & 31)))
SALU_NZ(s_lshr_b64, D64(W0 >> (S1 & 63)))
SALU_NZ(s_ashr_i32, D32(I0 >> (S1 & 31)))
SALU_NZ(s_ashr_i64, D64((int64_t)W0 >> (S1 & 63)))
SALU(s_bfm_b32, D32(((1u << (S0 & 31)) - 1) << (S1 & 31)))
SALU(s_bfm_b64, D64(((1ull << (S0 & 63)) - 1) << (S1 & 63)))
SALU(s_add_nc_u64, D64(W0 + W1))
SALU(s_sub_nc_u64, D64(W0 - W1))
SALU(s_mul_u64, D64(W0 *W1))
SALU(s_mul_i32, D32(S0 *S1))
SALU(s_mul_hi_u32, D32((uint64_t)S0 *S1 >> 32))
SALU(s_mul_hi_i32, D32((int64_t)I0 *I1 >> 32))

/* Bit field extract: offset in the low bits of S1, width in 22:16. */
static uint64_t field(uint64_t value, unsigned offset, unsigned width, unsigned size, bool sign) {
	if (!width)
		return 0;
	if (width > size - offset)
		width = size - offset;
	uint64_t v = value << (64 - offset - width);
	return sign ? (uint64_t)((int64_t)v >> (64 - width)) : v >> (64 - width);
}
SALU_NZ(s_bfe_u32, D32(field(S0, S1 & 31, S1 >> 16 & 127, 32, false)))
SALU_NZ(s_bfe_i32, D32(field(S0, S1 & 31, S1 >> 16 & 127, 32, true)))
SALU_NZ(s_bfe_u64, D64(field(W0, S1 & 63, S1 >> 16 & 127, 64, false)))
SALU_NZ(s_bfe_i64, D64(field(W0, S1 & 63, S1 >> 16 & 127, 64, true)))

static uint32_t magnitude(uint32_t i) {
	return (int32_t)i < 0 ? -i : i;
}
SALU_NZ(s_absdiff_i32, D32(magnitude(S0 - S1)))
SALU_NZ(s_abs_i32, D32(magnitude(S0)))

#define LSHL_ADD(n)                                                                                \
	SALU(s_lshl##n##_add_u32, uint64_t r = ((uint64_t)S0 << n) + S1; D32(r);                   \
	     x->scc = r >> 32 != 0)
LSHL_ADD(1)
LSHL_ADD(2)
LSHL_ADD(3)
LSHL_ADD(4)
SALU(s_pack_ll_b32_b16, D32((S0 & 0xffff) | S1 << 16))
SALU(s_pack_lh_b32_b16, D32((S0 & 0xffff) | (S1 & 0xffff0000)))
SALU(s_pack_hl_b32_b16, D32(S0 >> 16 | S1 << 16))
SALU(s_pack_hh_b32_b16, D32(S0 >> 16 | (S1 & 0xffff0000)))

/* SOPK: S0 is the destination, W1 the sign-extended immediate. */
SALU(s_movk_i32, D32(W1))
SALU(s_cmovk_i32, D32(x->scc ? W1 : W0))
SALU(s_addk_i32, int32_t r; x->scc = __builtin_add_overflow(I0, I1, &r); D32(r))
SALU(s_mulk_i32, D32(S0 *S1))

#define COMPARE(suffix, op)                                                                        \
	SALU_CMP(s_cmp_##suffix##_i32, I0 op I1)                                                   \
	SALU_CMP(s_cmp_##suffix##_u32, S0 op S1)                                                   \
	SALU_CMP(s_cmpk_##suffix##_i32, I0 op I1)                                                  \
	SALU_CMP(s_cmpk_##suffix##_u32, S0 op S1)
COMPARE(eq, ==)
COMPARE(lg, !=)
COMPARE(gt, >)
COMPARE(ge, >=)
COMPARE(lt, <)
COMPARE(le, <=)
SALU_CMP(s_cmp_eq_u64, W0 == W1)
SALU_CMP(s_cmp_lg_u64, W0 != W1)
SALU_CMP(s_bitcmp0_b32, !(S0 >> (S1 & 31) & 1))
SALU_CMP(s_bitcmp1_b32, S0 >> (S1 & 31) & 1)
SALU_CMP(s_bitcmp0_b64, !(W0 >> (S1 & 63) & 1))
SALU_CMP(s_bitcmp1_b64, W0 >> (S1 & 63) & 1)

SALU(s_mov_b32, D32(S0))
SALU(s_mov_b64, D64(W0))
SALU(s_cmov_b32, D32(x->scc ? S0 : x->d))
SALU(s_cmov_b64, D64(x->scc ? W0 : x->d))
SALU_NZ(s_not_b32, D32(~S0))
SALU_NZ(s_not_b64, D64(~W0))

/* Bit 4n of the result is set if any of bits 4n to 4n+3 is set. */
static uint64_t any_of_quads(uint64_t v) {
	v |= v >> 1;
	return (v | v >> 2) & 0x1111111111111111;
}
static uint64_t quad_mask(uint64_t v) {
	uint64_t quads = any_of_quads(v), r = 0;
	for (unsigned i = 0; i < 16; i++)
		r |= (quads >> 4 * i & 1) << i;
	return r;
}
SALU_NZ(s_wqm_b32, D32(15 * any_of_quads(S0)))
SALU_NZ(s_wqm_b64, D64(15 * any_of_quads(W0)))
SALU_NZ(s_quadmask_b32, D32(quad_mask(S0)))
SALU_NZ(s_quadmask_b64, D64(quad_mask(W0)))

static uint64_t twice_each_bit(uint32_t v) {
	uint64_t r = 0;
	for (unsigned i = 0; i < 32; i++)
		r |= (v >> i & 1) * 3ull << 2 * i;
	return r;
}
SALU(s_bitreplicate_b64_b32, D64(twice_each_bit(S0)))

static uint64_t reverse(uint64_t v, unsigned width) {
	uint64_t r = 0;
	for (unsigned i = 0; i < width; i++)
		r |= (v >> i & 1) << (width - 1 - i);
	return r;
}
SALU(s_brev_b32, D32(reverse(S0, 32)))
SALU(s_brev_b64, D64(reverse(W0, 64)))
SALU_NZ(s_bcnt0_i32_b32, D32(__builtin_popcount(~S0)))
SALU_NZ(s_bcnt0_i32_b64, D32(__builtin_popcountll(~W0)))
SALU_NZ(s_bcnt1_i32_b32, D32(__builtin_popcount(S0)))
SALU_NZ(s_bcnt1_i32_b64, D32(__builtin_popcountll(W0)))
SALU(s_ff0_i32_b32, D32(~S0 ? __builtin_ctz(~S0) : -1))
SALU(s_ff0_i32_b64, D32(~W0 ? __builtin_ctzll(~W0) : -1))
SALU(s_ff1_i32_b32, D32(S0 ? __builtin_ctz(S0) : -1))
SALU(s_ff1_i32_b64, D32(W0 ? __builtin_ctzll(W0) : -1))
SALU(s_flbit_i32_b32, D32(S0 ? __builtin_clz(S0) : -1))
SALU(s_flbit_i32_b64, D32(W0 ? __builtin_clzll(W0) : -1))

/* The number of leading bits equal to the sign; -1 if all are equal. */
static uint32_t sign_bits(int64_t v, unsigned size) {
	uint64_t differ = (uint64_t)(v ^ (v >> 63));
	return differ ? (uint32_t)__builtin_clzll(differ) - (64 - size) : ~0u;
}
SALU(s_flbit_i32, D32(sign_bits(I0, 32)))
SALU(s_flbit_i32_i64, D32(sign_bits((int64_t)W0, 64)))
SALU(s_sext_i32_i8, D32((int8_t)S0))
SALU(s_sext_i32_i16, D32((int16_t)S0))
SALU(s_bitset0_b32, D32(x->d & ~(1u << (S0 & 31))))
SALU(s_bitset1_b32, D32(x->d | 1u << (S0 & 31)))
SALU(s_bitset0_b64, D64(x->d & ~(1ull << (S0 & 63))))
SALU(s_bitset1_b64, D64(x->d | 1ull << (S0 & 63)))

/* EXEC becomes D. The destination becomes W1: the old EXEC, or for *_wrexec the new one. */
#define SAVEEXEC(name64, name32, value)                                                            \
	SALU_NZ(s_##name64##_saveexec_b64, D64(value))                                             \
	SALU_NZ(s_##name32##_saveexec_b32, D32(value))
SAVEEXEC(and, and, W0 &W1)
SAVEEXEC(or, or, W0 | W1)
SAVEEXEC(xor, xor, W0 ^ W1)
SAVEEXEC(andn2, and_not1, W0 & ~W1)
SAVEEXEC(orn2, or_not1, W0 | ~W1)
SAVEEXEC(nand, nand, ~(W0 &W1))
SAVEEXEC(nor, nor, ~(W0 | W1))
SAVEEXEC(xnor, xnor, ~(W0 ^ W1))
SAVEEXEC(andn1, and_not0, ~W0 &W1)
SAVEEXEC(orn1, or_not0, ~W0 | W1)
#define WREXEC(name, value) SALU(name, value; x->b = x->d; x->scc = x->d != 0)
WREXEC(s_andn1_wrexec_b64, D64(~W0 &W1))
WREXEC(s_andn2_wrexec_b64, D64(W0 & ~W1))
WREXEC(s_and_not0_wrexec_b32, D32(~W0 &W1))
WREXEC(s_and_not1_wrexec_b32, D32(W0 & ~W1))
