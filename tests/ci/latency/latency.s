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

	.include "tests/ci/kernel.inc"
	kernel overwrites, 256, 16
