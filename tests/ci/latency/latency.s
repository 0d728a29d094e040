; LDS-DMA over LDS that a read in flight still needs: OUT gets 7, if the read is faster than memory.
; One wave; arguments: IN, OUT.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl overwrites
	.p2align 8
	.type overwrites,@function
overwrites:
	s_load_dwordx4 s[4:7], s[0:1], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	v_mov_b32_e32 v1, 7
	ds_write_b32 v0, v1
	s_mov_b32 m0, 0
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[8:9], s[4:5]
	s_movk_i32 s10, 0x100
	s_mov_b32 s11, 0x27000
	ds_read_b32 v2, v0
	buffer_load_dword v0, s[8:11], 0 offen lds
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_dword v0, v2, s[6:7]
	s_endpgm

	.rodata
	.p2align 6
	.amdhsa_kernel overwrites
		.amdhsa_group_segment_fixed_size 256
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx950
amdhsa.kernels:
  - .name: overwrites
    .symbol: overwrites.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 256
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
