/* Vector and scalar ALU, matrix instructions, and moves between lanes of random programs. */
#ifndef PROOF_ALU_H
#define PROOF_ALU_H

enum { READS, WRITES };

/* What an instruction does beside its registers. */
enum {
	CROSSES = 1, /* it accesses lanes that are not in EXEC */
	ON_LDS = 2   /* it counts as an LDS operation */
};

/* An instruction, and the positions of its registers: n consecutive ones. */
struct alu_row {
	uint8_t size; /* in dwords */
	uint8_t does;
	uint32_t dwords[4];
	struct slot {
		char kind; /* vector, accumulation or scalar register, place in LDS; 0: none */
		uint8_t n, dword, shift;
		bool write;
	} slot[USES];
};
#define D(kind, n, dword, shift)                                                                   \
	{ kind, n, dword, shift, WRITES }
#define S(kind, n, dword, shift)                                                                   \
	{ kind, n, dword, shift, READS }
/* D, A, B and C of a matrix instruction, in dwords `at` and at + 1. */
#define MATRIX(d, of_a, a, of_b, b, at)                                                            \
	D(d, 4, at, 0), S(of_a, a, (at) + 1, 0), S(of_b, b, (at) + 1, 9), S(d, 4, (at) + 1, 18)

/* clang-format off */
static const struct alu_row alu_rows[] = {
	{ 1, 0, { 0x68000100, /* v_add_u32_e32 v0, v0, v0 */ },
	  { D('v', 1, 0, 17), S('v', 1, 0, 9), S('v', 1, 0, 0) } },
	{ 1, 0, { 0x2a000100, /* v_xor_b32_e32 v0, v0, v0 */ },
	  { D('v', 1, 0, 17), S('v', 1, 0, 9), S('v', 1, 0, 0) } },
	{ 1, 0, { 0x7e000300, /* v_mov_b32_e32 v0, v0 */ }, { D('v', 1, 0, 17), S('v', 1, 0, 0) } },
	{ 1, 0, { 0x7e00a300, /* v_swap_b32 v0, v0 */ }, { D('v', 1, 0, 17), D('v', 1, 0, 0) } },
	{ 1, 0, { 0x68000000, /* v_add_u32_e32 v0, s0, v0 */ },
	  { D('v', 1, 0, 17), S('v', 1, 0, 9), S('s', 1, 0, 0) } },
	{ 1, 0, { 0x7e007100, /* v_mov_b64_e32 v[0:1], v[0:1] */ },
	  { D('v', 2, 0, 17), S('v', 2, 0, 0) } },
	{ 2, 0, { 0xd3d84000, 0x18000100, /* v_accvgpr_read_b32 v0, a0 */ },
	  { D('v', 1, 0, 0), S('a', 1, 1, 0) } },
	{ 2, 0, { 0xd3d94000, 0x18000100, /* v_accvgpr_write_b32 a0, v0 */ },
	  { D('a', 1, 0, 0), S('v', 1, 1, 0) } },
	{ 1, 0, { 0x7e00a500, /* v_accvgpr_mov_b32 a0, a0 */ },
	  { D('a', 1, 0, 17), S('a', 1, 0, 0) } },
	{ 2, 0, { 0xd0c90000, 0x00020100, /* v_cmp_lt_u32_e64 s[0:1], v0, v0 */ },
	  { D('s', 2, 0, 0), S('v', 1, 1, 0), S('v', 1, 1, 9) } },
	{ 2, 0, { 0xd1000000, 0x00020100, /* v_cndmask_b32_e64 v0, v0, v0, s[0:1] */ },
	  { D('v', 1, 0, 0), S('v', 1, 1, 0), S('v', 1, 1, 9), S('s', 2, 1, 18) } },
	{ 1, 0, { 0x80000000, /* s_add_u32 s0, s0, s0 */ },
	  { D('s', 1, 0, 16), S('s', 1, 0, 8), S('s', 1, 0, 0) } },

	/* parts of a register */
	{ 2, 0, { 0x680000f9, 0x00051100, /* v_add_u32_sdwa v0, v0, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:BYTE_0 */ },
	  { D('v', 1, 0, 17), S('v', 1, 0, 9), S('v', 1, 1, 0) } },
	{ 2, 0, { 0x7e0002f9, 0x00041500, /* v_mov_b32_sdwa v0, v0 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 */ },
	  { D('v', 1, 0, 17), S('v', 1, 1, 0) } },

	/* lanes of other lanes */
	{ 1, CROSSES, { 0x7e000500, /* v_readfirstlane_b32 s0, v0 */ },
	  { D('s', 1, 0, 17), S('v', 1, 0, 0) } },
	{ 2, CROSSES, { 0xd2890000, 0x00010b00, /* v_readlane_b32 s0, v0, 5 */ },
	  { D('s', 1, 0, 0), S('v', 1, 1, 0) } },
	{ 2, CROSSES, { 0xd2890000, 0x00000100, /* v_readlane_b32 s0, v0, s0 */ },
	  { D('s', 1, 0, 0), S('v', 1, 1, 0), S('s', 1, 1, 9) } },
	{ 2, CROSSES, { 0xd28a0000, 0x00010c00, /* v_writelane_b32 v0, s0, 6 */ },
	  { D('v', 1, 0, 0), S('s', 1, 1, 0) } },
	{ 1, CROSSES, { 0x7e00b500, /* v_permlane32_swap_b32_e32 v0, v0 */ },
	  { D('v', 1, 0, 17), D('v', 1, 0, 0) } },
	{ 1, CROSSES, { 0x7e00b300, /* v_permlane16_swap_b32_e32 v0, v0 */ },
	  { D('v', 1, 0, 17), D('v', 1, 0, 0) } },
	{ 2, CROSSES, { 0x7e0002fa, 0xff00b100, /* v_mov_b32_dpp v0, v0 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf */ },
	  { D('v', 1, 0, 17), S('v', 1, 1, 0) } },
	{ 2, CROSSES, { 0x7e0002fa, 0xff011100, /* v_mov_b32_dpp v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf */ },
	  { D('v', 1, 0, 17), S('v', 1, 1, 0) } },
	{ 2, CROSSES, { 0x7e0002fa, 0xff091100, /* v_mov_b32_dpp v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1 */ },
	  { D('v', 1, 0, 17), S('v', 1, 1, 0) } },
	{ 2, CROSSES, { 0x7e0002fa, 0xaf014200, /* v_mov_b32_dpp v0, v0 row_bcast:15 row_mask:0xa bank_mask:0xf */ },
	  { D('v', 1, 0, 17), S('v', 1, 1, 0) } },
	{ 2, CROSSES, { 0x680000fa, 0xf7013000, /* v_add_u32_dpp v0, v0, v0 wave_shl:1 row_mask:0xf bank_mask:0x7 */ },
	  { D('v', 1, 0, 17), S('v', 1, 0, 9), S('v', 1, 1, 0) } },
	{ 2, CROSSES | ON_LDS, { 0xd87e0000, 0x00000000, /* ds_bpermute_b32 v0, v0, v0 */ },
	  { D('v', 1, 1, 24), S('v', 1, 1, 8), S('p', 1, 1, 0) } },
	{ 2, CROSSES | ON_LDS, { 0xd87c0000, 0x00000000, /* ds_permute_b32 v0, v0, v0 */ },
	  { D('v', 1, 1, 24), S('v', 1, 1, 8), S('p', 1, 1, 0) } },
	{ 2, CROSSES | ON_LDS, { 0xd87a041f, 0x00000000, /* ds_swizzle_b32 v0, v0 offset:swizzle(SWAP,1) */ },
	  { D('v', 1, 1, 24), S('v', 1, 1, 0) } },

	/* matrices, in all lanes; the last two have E2M1 and scales */
	{ 2, CROSSES, { 0xd3d70000, 0x04020100, /* v_mfma_i32_16x16x32_i8 v[0:3], v[0:1], v[0:1], v[0:3] */ },
	  { MATRIX('v', 'v', 2, 'v', 2, 0) } },
	{ 2, CROSSES, { 0xd3d78000, 0x14020100, /* v_mfma_i32_16x16x32_i8 a[0:3], v[0:1], a[0:1], a[0:3] */ },
	  { MATRIX('a', 'v', 2, 'a', 2, 0) } },
	{ 2, CROSSES, { 0xd3b60000, 0x04020100, /* v_mfma_i32_16x16x64_i8 v[0:3], v[0:3], v[0:3], v[0:3] */ },
	  { MATRIX('v', 'v', 4, 'v', 4, 0) } },
	{ 4, CROSSES, { 0xd3ac0000, 0x00020100, 0xd3ad0c00, 0x84020100, /* v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[0:3], v[0:3], v[0:3], v0, v0 op_sel_hi:[0,0,0] cbsz:4 blgp:4 */ },
	  { MATRIX('v', 'v', 4, 'v', 4, 2), S('v', 1, 1, 0), S('v', 1, 1, 9) } },
	{ 4, CROSSES, { 0xd3ac0000, 0x00020100, 0xd3ad8c00, 0x94020100, /* v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], a[0:3], a[0:3], v0, v0 op_sel_hi:[0,0,0] cbsz:4 blgp:4 */ },
	  { MATRIX('a', 'v', 4, 'a', 4, 2), S('v', 1, 1, 0), S('v', 1, 1, 9) } },
};
/* clang-format on */
#undef D
#undef S
#undef MATRIX

static inline unsigned some_register(struct program *p, const struct slot *s) {
	switch (s->kind) {
	case 's': return some_sgpr(p, s->n);
	case 'p': return OWN_ADDRESS + any(p, PARTS);
	default: return some_vgpr(p, s->n);
	}
}

static inline struct op alu(struct program *p) {
	const struct alu_row *r = &alu_rows[any(p, sizeof alu_rows / sizeof *alu_rows)];
	struct op op = { .size = r->size,
		         .crosses = r->does & CROSSES,
		         .stream = { [SHARED] = r->does & ON_LDS } };
	memcpy(op.dwords, r->dwords, sizeof op.dwords);
	for (unsigned i = 0; i < USES && r->slot[i].kind; i++) {
		const struct slot *s = &r->slot[i];
		unsigned reg = some_register(p, s);
		unsigned file = s->kind == 's' ? SGPRS : s->kind == 'a' ? AGPRS : 0;
		op.dwords[s->dword] |= reg << s->shift;
		op.use[i] = (struct use){ file + reg, s->n, s->write };
	}
	return op;
}

#endif
