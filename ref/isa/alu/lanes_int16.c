/* 16-bit integer opcodes of the vector ALU [ISA 12.7, 12.11]. The high half of sources is
 * arbitrary, and the high half of results is ignored. */
#include "lane_macros.h"

#define UA ((uint16_t)A)
#define UB ((uint16_t)B)
#define UC ((uint16_t)C)
#define SA ((int16_t)A)
#define SB ((int16_t)B)
#define SC ((int16_t)C)

VALU_CLAMPS(v_add_u16, (int64_t)UA + UB, U16_RANGE)
VALU_CLAMPS(v_sub_u16, (int64_t)UA - UB, U16_RANGE)
VALU_CLAMPS(v_subrev_u16, (int64_t)UB - UA, U16_RANGE)
VALU_CLAMPS(v_add_i16, (int64_t)SA + SB, I16_RANGE)
VALU_CLAMPS(v_sub_i16, (int64_t)SA - SB, I16_RANGE)
VALU_CLAMPS(v_mul_lo_u16, (int64_t)UA *UB, U16_RANGE)
VALU_CLAMPS(v_mad_u16, (int64_t)UA *UB + UC, U16_RANGE)
VALU_CLAMPS(v_mad_i16, (int64_t)SA *SB + SC, I16_RANGE)
VALU_CLAMPS(v_mad_legacy_u16, (int64_t)UA *UB + UC, U16_RANGE)
VALU_CLAMPS(v_mad_legacy_i16, (int64_t)SA *SB + SC, I16_RANGE)
VALU_CLAMPS(v_mad_u32_u16, (int64_t)UA *UB + C, U32_RANGE)
VALU_CLAMPS(v_mad_i32_i16, (int64_t)SA *SB + IC, I32_RANGE)

VALU(v_lshlrev_b16, D((uint32_t)UB << (A & 15)))
VALU(v_lshrrev_b16, D((uint32_t)UB >> (A & 15)))
VALU(v_ashrrev_i16, D((uint32_t)(SB >> (A & 15))))
VALU(v_bitop3_b16, D(mx_bitop3(x->truth, A, B, C)))

VALU(v_mov_b16, D(A))
VALU(v_not_b16, D(~A))
VALU(v_and_b16, D(A &B))
VALU(v_or_b16, D(A | B))
VALU(v_xor_b16, D(A ^ B))
VALU(v_cvt_i32_i16, D((uint32_t)SA))
VALU(v_cvt_u32_u16, D(UA))
VALU(v_cndmask_b16, D(IN ? B : A))

VALU(v_min_u16, D(MIN(UA, UB)))
VALU(v_max_u16, D(MAX(UA, UB)))
VALU(v_min_i16, D((uint32_t)MIN(SA, SB)))
VALU(v_max_i16, D((uint32_t)MAX(SA, SB)))
VALU(v_min3_u16, D(MIN(MIN(UA, UB), UC)))
VALU(v_max3_u16, D(MAX(MAX(UA, UB), UC)))
VALU(v_med3_u16, D(MAX(MIN(UA, UB), MIN(MAX(UA, UB), UC))))
VALU(v_min3_i16, D((uint32_t)MIN(MIN(SA, SB), SC)))
VALU(v_max3_i16, D((uint32_t)MAX(MAX(SA, SB), SC)))
VALU(v_med3_i16, D((uint32_t)MAX(MIN(SA, SB), MIN(MAX(SA, SB), SC))))

COMPARE_INTEGERS(i16, SA, SB)
COMPARE_INTEGERS(u16, UA, UB)

/* ---- two numbers packed into narrower ones ---- */

#define PAIR(low, high, bits, range)                                                               \
	D(((uint32_t)mx_clamped(low, range) & ((1u << (bits)) - 1)) |                              \
	  (uint32_t)mx_clamped(high, range) << (bits))
#define U8_RANGE 0, 0xff
#define I8_RANGE -0x80, 0x7f
/* Values out of range saturate: LLVM clamps an i64 to 16 bits with v_cvt_pk_i16_i32
 * [clamp-i64-i16 in AMDGPURegBankCombiner], and Mesa uses these opcodes for pack_uint_2x16 and
 * pack_sint_2x16, which clamp. */
VALU(v_cvt_pk_u16_u32, PAIR(A, B, 16, U16_RANGE))
VALU(v_cvt_pk_i16_i32, PAIR(IA, IB, 16, I16_RANGE))
VALU(v_sat_pk_u8_i16, PAIR(SA, (int16_t)(A >> 16), 8, U8_RANGE))
VALU(v_ashr_pk_i8_i32, PAIR(IA >> (C & 31), IB >> (C & 31), 8, I8_RANGE))
VALU(v_ashr_pk_u8_i32, PAIR(IA >> (C & 31), IB >> (C & 31), 8, U8_RANGE))
