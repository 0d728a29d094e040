; MXFP8 GEMM for gfx1250 in assembly: C[M][N] = A[M][K] * B[N][K]^T in f32, E4M3, one E8M0 scale for
; each 32 elements of a row. Any M, N a multiple of 8, K a multiple of 128; matrices below 4 GiB.
;
; Arguments are in slots of 16 bytes: C, A, SA, B, SB, M, N, K. One wave computes 32x64 of C. Loads of
; the next step of K are in flight during the WMMAs of this step. The first operand of a WMMA is B, so
; that a lane has 8 contiguous elements of a row of C.
;
; VGPRs: two stages of operands take most of v0 to v255, so the sums are in the next bank, v256 to
; v319. An instruction has the low 8 bits of a register's number; s_set_vgpr_msb sets the others for
; the instructions after it, two bits for each of source 0, 1, 2 and result. A store has its data as
; source 1.

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1250"
	.amdhsa_code_object_version 6

	.set step, 128
	.set bank_1_of_result, 0x40
	.set bank_1_of_sums, 0x50          ; source 2 and result
	.set bank_1_of_data, 0x04

; The bank of the sums while they are cleared.
	.ifndef bank_of_clear
	.set bank_of_clear, bank_1_of_result
	.endif

; Two fragments of A and four of B, 16 registers each: of a row, a lane has every second chunk of 16
; codes. A lane of a register of scales has the 4 scales of one of 32 rows.
	.macro load a, b, scales
	.irp i, 0, 1
	.irp j, 0, 1, 2, 3
	global_load_b128 v[\a+16*\i+4*\j:\a+16*\i+4*\j+3], v[3+\i], s[8:9] offset:32*\j
	.endr
	.endr
	.irp i, 0, 1, 2, 3
	.irp j, 0, 1, 2, 3
	global_load_b128 v[\b+16*\i+4*\j:\b+16*\i+4*\j+3], v[5+\i], s[16:17] offset:32*\j
	.endr
	.endr
	global_load_b32 v[\scales], v9, s[12:13]
	global_load_b32 v[\scales+1], v10, s[20:21]
	global_load_b32 v[\scales+2], v11, s[20:21]
	s_wait_xcnt 0                      ; a replayed load reads its address again
	s_add_nc_u64 s[8:9], s[8:9], step
	s_add_nc_u64 s[16:17], s[16:17], step
	s_add_nc_u64 s[12:13], s[12:13], step / 32
	s_add_nc_u64 s[20:21], s[20:21], step / 32
	s_sub_co_u32 s26, s26, step
	.endm
	.set loads, 27

; Scales of rows 16 and up of a register are in its upper lanes.
	.macro wmma i, j, a, b, scales, rows:vararg
	v_wmma_scale_f32_16x16x128_f8f6f4 v[32*\i+8*\j:32*\i+8*\j+7], v[\b+16*\j:\b+16*\j+15], v[\a+16*\i:\a+16*\i+15], v[32*\i+8*\j:32*\i+8*\j+7], v[\scales+1+\j/2], v[\scales] \rows
	.endm

	.macro multiply a, b, scales
	s_set_vgpr_msb bank_1_of_sums
	.irp j, 0, 2
	wmma 0, \j, \a, \b, \scales
	wmma 1, \j, \a, \b, \scales, matrix_b_scale:MATRIX_SCALE_ROW1
	.endr
	.irp j, 1, 3
	wmma 0, \j, \a, \b, \scales, matrix_a_scale:MATRIX_SCALE_ROW1
	wmma 1, \j, \a, \b, \scales, matrix_a_scale:MATRIX_SCALE_ROW1 matrix_b_scale:MATRIX_SCALE_ROW1
	.endr
	s_set_vgpr_msb 0
	.endm

	.text
	.globl	gfx1250_mxfp8_asm
	.p2align 8
	.type	gfx1250_mxfp8_asm,@function
gfx1250_mxfp8_asm:
	s_load_b64 s[4:5], s[0:1], 0
	s_load_b64 s[8:9], s[0:1], 16
	s_load_b64 s[12:13], s[0:1], 32
	s_load_b64 s[16:17], s[0:1], 48
	s_load_b64 s[20:21], s[0:1], 64
	s_load_b32 s24, s[0:1], 80
	s_load_b32 s25, s[0:1], 96
	s_load_b32 s26, s[0:1], 112
	v_and_b32 v1, 15, v0               ; row of a fragment
	v_lshrrev_b32 v2, 4, v0            ; half of the wave
	s_and_b32 s28, ttmp7, 0xffff       ; workgroup Y
	s_lshl_b32 s28, s28, 5             ; first row of the tile
	s_lshl_b32 s29, ttmp9, 6           ; its first column
	s_wait_kmcnt 0
	s_lshr_b32 s27, s26, 5             ; scales of a row

	; Where the lane's codes and scales begin. Rows past the matrix are as its last one; what
	; comes of them is not stored.
	.macro row_offset to, first, lane, last, bytes
	v_add_nc_u32 v12, \first, \lane
	v_min_u32 v12, \last, v12
	v_mul_lo_u32 v[\to], v12, \bytes
	.endm
	.macro codes_offset to, first, last
	row_offset \to, \first, v1, \last, s26
	v_lshl_add_u32 v[\to], v2, 4, v[\to]
	s_add_co_u32 \first, \first, 16
	.endm
	s_sub_co_u32 s30, s24, 1
	s_sub_co_u32 s31, s25, 1
	s_mov_b32 s33, s28
	s_mov_b32 s34, s29
	row_offset 9, s33, v0, s30, s27
	row_offset 10, s34, v0, s31, s27
	s_add_co_u32 s35, s34, 32
	row_offset 11, s35, v0, s31, s27
	codes_offset 3, s33, s30
	codes_offset 4, s33, s30
	.irp i, 5, 6, 7, 8
	codes_offset \i, s34, s31
	.endr

	s_set_vgpr_msb bank_of_clear
	.set i, 0
	.rept 64
	v_mov_b32 v[i], 0
	.set i, i + 1
	.endr
	s_set_vgpr_msb 0

	load 16, 48, 112
pair:
	s_cmp_eq_u32 s26, 0
	s_cbranch_scc1 last_even
	load 120, 152, 216
	s_wait_loadcnt loads
	multiply 16, 48, 112
	s_cmp_eq_u32 s26, 0
	s_cbranch_scc1 last_odd
	load 16, 48, 112
	s_wait_loadcnt loads
	multiply 120, 152, 216
	s_branch pair
last_even:
	s_wait_loadcnt 0
	multiply 16, 48, 112
	s_branch store
last_odd:
	s_wait_loadcnt 0
	multiply 120, 152, 216

store:
	; Element v of lane l is row l % 16 of its fragment of A, column 8 (l / 16) + v of that of B.
	v_add_nc_u32 v3, s28, v1           ; row
	v_add_nc_u32 v4, 16, v3
	v_lshl_add_u32 v5, v2, 3, s29      ; column
	.irp i, 0, 1, 2, 3
	v_add_nc_u32 v6, 16 * \i, v5
	v_cmp_gt_u32 s[36+\i], s25, v6
	.endr
	v_cmp_gt_u32 s40, s24, v3
	v_cmp_gt_u32 s41, s24, v4
	v_mul_lo_u32 v3, v3, s25
	v_mul_lo_u32 v4, v4, s25
	v_add_lshl_u32 v3, v3, v5, 2
	v_add_lshl_u32 v4, v4, v5, 2
	s_set_vgpr_msb bank_1_of_data
	.irp i, 0, 1
	.irp j, 0, 1, 2, 3
	s_and_b32 exec_lo, s[40+\i], s[36+\j]
	global_store_b128 v[3+\i], v[32*\i+8*\j:32*\i+8*\j+3], s[4:5] offset:64*\j
	global_store_b128 v[3+\i], v[32*\i+8*\j+4:32*\i+8*\j+7], s[4:5] offset:64*\j+16
	.endr
	.endr
	s_endpgm
.Lend:
	.size	gfx1250_mxfp8_asm, .Lend-gfx1250_mxfp8_asm

	.rodata
	.p2align 6
	.amdhsa_kernel gfx1250_mxfp8_asm
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_count 2
		.amdhsa_wavefront_size32 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_kernarg_size 128
		.amdhsa_next_free_vgpr 320
		.amdhsa_next_free_sgpr 42
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1250
amdhsa.kernels:
  - .name: gfx1250_mxfp8_asm
    .symbol: gfx1250_mxfp8_asm.kd
    .kernarg_segment_size: 128
    .kernarg_segment_align: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 44
    .vgpr_count: 320
    .max_flat_workgroup_size: 32
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
