; Hand-written code: two kernels and a function between them in one section, none with a size. All
; three have local labels, which are in the symbol table without a type. The second kernel has no type
; either. The only argument is the address of OUT; a workgroup is one wave.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl first
	.p2align 8
	.type first,@function
first:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, 1
	s_mov_b32 s4, 3
label_loop:
	v_add_u32_e32 v2, v2, v2
	s_nop 2
	s_sub_u32 s4, s4, 1
	s_cmp_lg_u32 s4, 0
	s_cbranch_scc1 label_loop
label_done:
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[2:3]
	s_barrier
label_end:
	s_endpgm

	.type helper,@function
helper:
	v_add_u32_e32 v2, 1, v2
	s_nop 1
label_return:
	s_setpc_b64 s[30:31]

	.globl second
	.p2align 8
second:
	s_load_dwordx2 s[2:3], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, 5
	s_branch label_skip
	s_nop 0
label_skip:
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[2:3]
	s_endpgm
label_after:

	.macro describe name
	.amdhsa_kernel \name
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 32
		.amdhsa_accum_offset 8
	.end_amdhsa_kernel
	.endm
	.rodata
	.p2align 6
	describe first
	describe second
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: first
    .symbol: first.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 8
    .agpr_count: 0
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: second
    .symbol: second.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 8
    .agpr_count: 0
    .max_flat_workgroup_size: 64
    .args:
      - {.name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
