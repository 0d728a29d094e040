; MXFP8 GEMM in assembly: C[M][N] = A[M][K] * B[N][K]^T in f32, E4M3, one E8M0 scale for
; each 32 elements of a row. Any M and N, K a multiple of 128; matrices below 4 GiB.
;
; Arguments are in slots of 16 bytes: C, A, SA, B, SB, M, N, K. One wave computes a 16x16
; tile. Loads of the next step of K are in flight during the matrix instruction of this
; step. The descriptors make loads outside the matrices return 0 and suppress stores.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6

	.set step, 128

; Operands of s_nop, -1 for no s_nop. A matrix instruction needs 2 wait states after a vector ALU
; write of its operand. A store needs 12 after a matrix instruction of 8 passes that writes its
; data; 6 of them are other instructions [CDNA4 ISA 7.6].
	.ifndef nop_before_multiply
	.set nop_before_multiply, 1
	.endif
	.ifndef nop_before_store
	.set nop_before_store, 5
	.endif

; Fragments of A and B, 8 registers each, and the 4 scales of a row: even and odd steps.
	.macro load a, b, sa, sb
	buffer_load_dwordx4 v[\a:\a+3], v4, s[8:11], 0 offen
	buffer_load_dwordx4 v[\a+4:\a+7], v4, s[8:11], 0 offen offset:64
	buffer_load_dwordx4 v[\b:\b+3], v7, s[16:19], 0 offen
	buffer_load_dwordx4 v[\b+4:\b+7], v7, s[16:19], 0 offen offset:64
	buffer_load_dword v\sa, v5, s[12:15], 0 offen
	buffer_load_dword v\sb, v8, s[20:23], 0 offen
	v_add_u32 v4, step, v4
	v_add_u32 v7, step, v7
	v_add_u32 v5, step / 32, v5
	v_add_u32 v8, step / 32, v8
	.endm

	.macro multiply a, b, sa, sb
	v_lshrrev_b32 v\sa, v10, v\sa      ; the scale of the lane's block
	v_lshrrev_b32 v\sb, v10, v\sb
	.if nop_before_multiply >= 0
	s_nop nop_before_multiply
	.endif
	v_mfma_scale_f32_16x16x128_f8f6f4 v[40:43], v[\a:\a+7], v[\b:\b+7], v[40:43], v\sa, v\sb
	.endm

	.text
	.globl	mxfp8_asm
	.p2align 8
	.type	mxfp8_asm,@function
mxfp8_asm:
	s_load_dwordx2 s[4:5], s[0:1], 0
	s_load_dwordx2 s[8:9], s[0:1], 16
	s_load_dwordx2 s[12:13], s[0:1], 32
	s_load_dwordx2 s[16:17], s[0:1], 48
	s_load_dwordx2 s[20:21], s[0:1], 64
	s_load_dword s24, s[0:1], 80
	s_load_dword s25, s[0:1], 96
	s_load_dword s26, s[0:1], 112
	v_and_b32 v1, 15, v0               ; row or column of the tile
	v_lshrrev_b32 v2, 4, v0            ; group of lanes
	s_waitcnt lgkmcnt(0)

	; Descriptors: base, records in bytes, a 32-bit format.
	s_lshr_b32 s27, s26, 5             ; scales of a row
	s_mul_i32 s10, s24, s26
	s_mul_i32 s14, s24, s27
	s_mul_i32 s18, s25, s26
	s_mul_i32 s22, s25, s27
	s_mul_i32 s6, s24, s25
	s_lshl_b32 s6, s6, 2
	s_and_b32 s5, s5, 0xffff
	s_and_b32 s9, s9, 0xffff
	s_and_b32 s13, s13, 0xffff
	s_and_b32 s17, s17, 0xffff
	s_and_b32 s21, s21, 0xffff
	s_mov_b32 s7, 0x20000
	s_mov_b32 s11, s7
	s_mov_b32 s15, s7
	s_mov_b32 s19, s7
	s_mov_b32 s23, s7

	; The start of this lane's codes: a lane holds 16 FP8 codes of each half of the step, at
	; 16 (l / 16) and 64 more. Its scale is that of block l / 16, one of 4 in the step.
	s_lshl_b32 s28, s3, 4              ; first row of the tile
	s_lshl_b32 s29, s2, 4              ; its first column
	v_add_u32 v3, s28, v1
	v_add_u32 v6, s29, v1
	v_mul_lo_u32 v4, v3, s26
	v_mul_lo_u32 v7, v6, s26
	v_lshl_add_u32 v4, v2, 4, v4
	v_lshl_add_u32 v7, v2, 4, v7
	v_mul_lo_u32 v5, v3, s27
	v_mul_lo_u32 v8, v6, s27
	v_lshlrev_b32 v10, 3, v2           ; bits below the lane's scale

	v_mov_b32 v40, 0
	v_mov_b32 v41, 0
	v_mov_b32 v42, 0
	v_mov_b32 v43, 0
	load 48, 56, 64, 65
	s_sub_u32 s26, s26, step

pair:
	s_cmp_eq_u32 s26, 0
	s_cbranch_scc1 last_even
	load 68, 76, 84, 85
	s_sub_u32 s26, s26, step
	s_waitcnt vmcnt(6)                 ; all but the six last loads
	multiply 48, 56, 64, 65
	s_cmp_eq_u32 s26, 0
	s_cbranch_scc1 last_odd
	load 48, 56, 64, 65
	s_sub_u32 s26, s26, step
	s_waitcnt vmcnt(6)
	multiply 68, 76, 84, 85
	s_branch pair
last_even:
	s_waitcnt vmcnt(0)
	multiply 48, 56, 64, 65
	s_branch store
last_odd:
	s_waitcnt vmcnt(0)
	multiply 68, 76, 84, 85

store:
	; Register r of lane l is row 4 (l / 16) + r, column l % 16. Rows past the end are out of
	; the descriptor's range; columns are not, so EXEC disables them.
	v_lshl_add_u32 v9, v2, 2, s28
	v_mul_lo_u32 v9, v9, s25
	v_add_lshl_u32 v9, v9, v6, 2
	s_lshl_b32 s30, s25, 2             ; bytes of a row of C
	v_cmp_gt_u32 vcc, s25, v6
	s_and_b64 exec, exec, vcc
	.if nop_before_store >= 0
	s_nop nop_before_store
	.endif
	buffer_store_dword v40, v9, s[4:7], 0 offen
	v_add_u32 v9, s30, v9
	buffer_store_dword v41, v9, s[4:7], 0 offen
	v_add_u32 v9, s30, v9
	buffer_store_dword v42, v9, s[4:7], 0 offen
	v_add_u32 v9, s30, v9
	buffer_store_dword v43, v9, s[4:7], 0 offen
	s_endpgm
.Lend:
	.size	mxfp8_asm, .Lend-mxfp8_asm

	.rodata
	.p2align 6
	.amdhsa_kernel mxfp8_asm
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_count 2
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_kernarg_size 128
		.amdhsa_next_free_vgpr 88
		.amdhsa_accum_offset 88
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: mxfp8_asm
    .symbol: mxfp8_asm.kd
    .kernarg_segment_size: 128
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: 88
    .agpr_count: 0
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 16, .value_kind: by_value}
      - {.offset: 16, .size: 16, .value_kind: by_value}
      - {.offset: 32, .size: 16, .value_kind: by_value}
      - {.offset: 48, .size: 16, .value_kind: by_value}
      - {.offset: 64, .size: 16, .value_kind: by_value}
      - {.offset: 80, .size: 16, .value_kind: by_value}
      - {.offset: 96, .size: 16, .value_kind: by_value}
      - {.offset: 112, .size: 16, .value_kind: by_value}
...
	.end_amdgpu_metadata
