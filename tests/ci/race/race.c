/* Kernels with one race each, for the reports of hunts and replays; their numbers are not judged.
 * Waits are left out with inline assembly. */
#include <gfx950.h>

/* A load is stored without its wait. */
KERNEL(64) void stale(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 at = __builtin_amdgcn_workitem_id_x() * 4, v = 0;
	asm volatile("global_load_dword %0, %1, %2\n\tv_mov_b32 %0, %0" : "+v"(v) : "v"(at), "s"(in));
	*(GLOBAL u32 *)((GLOBAL u8 *)out + at) = v;
}

/* Two waves store different values to the same location. */
KERNEL(128) void last(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x();
	out[t % 64] = in[t];
}

/* An offset is loaded without a wait: before the load lands, the offset is outside memory. */
KERNEL(64) void fault(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x(), at = 0x7ff00000, v;
	asm volatile("global_load_dword %0, %2, %3\n\t"
	             "s_nop 0\n\t"
	             "global_load_dword %1, %0, %3\n\t"
	             "s_waitcnt vmcnt(0)"
	             : "+v"(at), "=&v"(v) : "v"(0), "s"(out));
	out[t] = v + in[t];
}

/* The opposite: the loaded offset is outside memory, the old one is inside. */
KERNEL(64) void usual(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x(), at = 0, v;
	asm volatile("global_load_dword %0, %2, %3\n\t"
	             "s_nop 0\n\t"
	             "global_load_dword %1, %0, %3\n\t"
	             "s_waitcnt vmcnt(0)"
	             : "+v"(at), "=&v"(v) : "v"(0), "s"(in));
	out[t] = v;
}

/* The end of a loop is loaded without a wait: before the load lands, the loop is endless. */
KERNEL(64) void endless(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x(), again = 1;
	asm volatile("s_load_dword %0, %1, 0x0\n\t"
	             "s_nop 15\n\ts_nop 15\n\ts_nop 15\n\ts_nop 15\n\t"
	             "s_mov_b32 s20, %0\n"
	             "1:\ts_nop 0\n\ts_cmp_eq_u32 s20, 0\n\ts_cbranch_scc0 1b\n\t"
	             "s_waitcnt lgkmcnt(0)"
	             : "+s"(again) : "s"(out) : "s20", "scc");
	out[t] = in[t];
}

/* The end of a loop that counts is loaded without a wait: after the load lands, the loop is endless. */
KERNEL(64) void counting(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x(), again = 0;
	asm volatile("s_load_dword %0, %1, 0x0\n\t"
	             "s_nop 15\n\ts_nop 15\n\t"
	             "s_mov_b32 s20, %0\n"
	             "1:\ts_add_u32 s21, s21, 1\n\ts_cmp_lg_u32 s20, 0\n\ts_cbranch_scc1 1b\n\t"
	             "s_waitcnt lgkmcnt(0)"
	             : "+s"(again) : "s"(in) : "s20", "s21", "scc");
	out[t] = in[t];
}

/* A wave reads what another wave wrote to LDS, without a barrier between. */
KERNEL(256) void reader(const GLOBAL u32 *in, GLOBAL u32 *out) {
	static SHARED u32 lds[256];
	u32 t = __builtin_amdgcn_workitem_id_x();
	lds[t] = in[t];
	out[t] = lds[t ^ 64];
}

/* Two workgroups store different values to the same location. */
KERNEL(64) void groups(const GLOBAL u32 *in, GLOBAL u32 *out) {
	u32 t = __builtin_amdgcn_workitem_id_x();
	out[t] = in[64 * __builtin_amdgcn_workgroup_id_x() + t];
}
