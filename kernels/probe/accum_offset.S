; A kernel for mxcheck probe --assumptions with the arguments of question.h: it uses no AGPR, and
; writes a VGPR on each side of ACCUM_OFFSET. v100 would be the AGPR a36.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.amdhsa_code_object_version 6
	.text
	.globl accum_offset
	.p2align 8
	.type accum_offset,@function
accum_offset:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[4:5]
	global_load_dword v2, v0, s[4:5] offset:256
	s_waitcnt vmcnt(0)
	v_mov_b32_e32 v36, v1
	v_mov_b32_e32 v100, v2
	global_store_dword v0, v36, s[6:7]
	global_store_dword v0, v100, s[6:7] offset:256
	s_endpgm
.Lend:
	.size accum_offset, .Lend-accum_offset

	.rodata
	.p2align 6
	.amdhsa_kernel accum_offset
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_count 2
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_kernarg_size 32
		.amdhsa_next_free_vgpr 128
		.amdhsa_accum_offset 64
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: accum_offset
    .symbol: accum_offset.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 128
    .agpr_count: 0
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 16, .size: 4, .value_kind: by_value}
      - {.offset: 20, .size: 4, .value_kind: by_value}
      - {.offset: 24, .size: 4, .value_kind: by_value}
      - {.offset: 28, .size: 4, .value_kind: by_value}
...
	.end_amdgpu_metadata
