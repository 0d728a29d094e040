/* Support for gfx950 kernels in C: waits, buffers, and the few instructions without a C spelling in
 * clang. For device code only. */
#ifndef GFX950_H
#define GFX950_H

#include "amdgcn.h"

/* One workgroup per compute unit, with its waves spread over the 4 SIMDs. */
#define KERNEL(threads)                                                                            \
	__attribute__((device_kernel, amdgpu_flat_work_group_size(threads, threads),               \
	               amdgpu_waves_per_eu(((threads) + 255) / 256, ((threads) + 255) / 256)))

/* As many workgroups as their registers allow: for kernels that mostly wait for memory. */
#define STREAM_KERNEL(threads)                                                                     \
	__attribute__((device_kernel, amdgpu_flat_work_group_size(threads, threads)))

/* s_waitcnt simm16 of gfx9: vmcnt {15:14, 3:0}, expcnt 6:4, lgkmcnt 11:8 [CDNA4 ISA 4.4]. A counter
 * at its largest value is not waited for. */
#define WAIT_VMCNT(n) __builtin_amdgcn_s_waitcnt(((n)&15) | ((n) >> 4) << 14 | 7 << 4 | 15 << 8)
#define BARRIER()     __builtin_amdgcn_s_barrier()

/* In assembly, so that the compiler moves no memory access across it. The compiler may move other
 * instructions across it: also an MFMA, unless the wait names its operands. */
#define WAIT_LGKMCNT(n) asm volatile("s_waitcnt lgkmcnt(%0)" : : "n"(n) : "memory")

#define LANE() (__builtin_amdgcn_workitem_id_x() & 63)
/* Uniform within a wave, also for the compiler. */
#define WAVE() __builtin_amdgcn_readfirstlane(__builtin_amdgcn_workitem_id_x() >> 6)

/* After it, the earlier LDS accesses of every wave of the workgroup are complete. One asm
 * statement, because the compiler moves LDS accesses across a separate barrier. */
#define LDS_BARRIER() asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory")

typedef __amdgpu_buffer_rsrc_t buffer;

/* Raw buffer: offsets are bytes, checked against `bytes`. 0x20000 is a 32-bit data format, which a
 * descriptor must have [CDNA4 ISA table 45]. */
INLINE buffer make_buffer(const GLOBAL void *base, u32 bytes) {
	return __builtin_amdgcn_make_buffer_rsrc((void *)base, 0, bytes, 0x20000);
}

/* An offset past the end of every buffer below 2 GiB: loads return 0 and stores have no effect. */
#ifndef OUT_OF_RANGE
#define OUT_OF_RANGE 0x80000000u
#endif

/* 16 bytes per lane from the buffer directly to LDS, in lane order from `to`. */
INLINE void load_to_lds(buffer b, LDS u8 *to, u32 offset) {
	__builtin_amdgcn_raw_ptr_buffer_load_lds(b, (LDS void *)to, 16, offset, 0, 0, 0);
}

/* In assembly, for two reasons. clang would put vmcnt(0) before an ordinary LDS read, because it
 * cannot distinguish the buffer that is in flight. It may also merge two reads, which makes a
 * counting wait wrong. The reader waits, and the wait names the registers. */
#define LDS_READ_B128(value, address, imm) LDS_READ("b128", value, address, imm)
#define LDS_READ_B64(value, address, imm)  LDS_READ("b64", value, address, imm)
#define LDS_READ_B32(value, address, imm)  LDS_READ("b32", value, address, imm)
#define LDS_READ(size, value, address, imm)                                                        \
	asm volatile("ds_read_" size " %0, %1 offset:%2"                                           \
	             : "=v"(value)                                                                 \
	             : "v"(address), "i"(imm)                                                      \
	             : "memory")

/* A descriptor as dwords, for assembly. */
INLINE u32x4 make_descriptor(const GLOBAL void *base, u32 bytes) {
	u64 at = (u64)base;
	return (u32x4){ (u32)at, at >> 32 & 0xffff, bytes, 0x20000 };
}

/* Loads without waits from the compiler. The wave counts them and waits, naming the registers;
 * until then no code may use the registers. */
#define LOAD_B128(value, descriptor, offset)                                                       \
	asm volatile("buffer_load_dwordx4 %0, %1, %2, 0 offen"                                     \
	             : "=v"(value)                                                                 \
	             : "v"(offset), "s"(descriptor))
#define LOAD_U8(value, descriptor, offset)                                                         \
	asm volatile("buffer_load_ubyte %0, %1, %2, 0 offen"                                       \
	             : "=v"(value)                                                                 \
	             : "v"(offset), "s"(descriptor))

/* A lane's 32 bytes of an 8-bit operand of a scaled MFMA. */
INLINE i32x8 fp8_operand(u32x4 low, u32x4 high) {
	return (i32x8){ low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w };
}

#endif
