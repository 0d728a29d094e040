/* Small kernels that store what a launch passes to a kernel, for the tests of the HIP runtime. */
#include "../../kernels/gfx950.h"

#define ANY_SIZE __attribute__((device_kernel, amdgpu_flat_work_group_size(1, 1024)))
#define EXPORT   __attribute__((visibility("default")))

INLINE u32 me(void) {
	return __builtin_amdgcn_workitem_id_x();
}

/* Arguments of several sizes, with gaps between them. */
KERNEL(64) void arguments(GLOBAL u64 *out, u8 a, u16 b, u32 c, u64 d) {
	if (me() == 0) {
		out[0] = a;
		out[1] = b;
		out[2] = c;
		out[3] = d;
	}
}

/* Hidden arguments [LLVM "Code Object V5 Kernel Argument Metadata"], one record for a workgroup. */
ANY_SIZE void hidden(GLOBAL u32 *out) {
	typedef const __attribute__((address_space(4))) u8 implicit;
	implicit *p = (implicit *)__builtin_amdgcn_implicitarg_ptr();
	u32 x = __builtin_amdgcn_workgroup_id_x(), y = __builtin_amdgcn_workgroup_id_y();
	GLOBAL u32 *r = out + 8 * (x + 3 * y);
	for (u32 i = 0; i < 3; i++) {
		r[i] = *(const __attribute__((address_space(4))) u32 *)(p + 4 * i);
		r[3 + i] = *(const __attribute__((address_space(4))) u16 *)(p + 12 + 2 * i);
	}
	r[6] = *(const __attribute__((address_space(4))) u16 *)(p + 64); /* grid_dims */
	r[7] = *(const __attribute__((address_space(4))) u16 *)(p + 18); /* remainder_x */
}

/* Uses as many LDS words as the launch has work-items. */
extern LDS u32 dynamic[];
ANY_SIZE void reverse(GLOBAL u32 *out, u32 n) {
	dynamic[me()] = me();
	BARRIER();
	out[me()] = dynamic[n - 1 - me()];
}

KERNEL(64) void copy(GLOBAL u32 *out, const GLOBAL u32 *in) {
	out[me()] = in[me()];
}

/* Four waves store to one address: the schedule decides which is last. */
KERNEL(256) void last_wave(GLOBAL u32 *out) {
	out[0] = WAVE();
}

/* A variable and pointers to it that the loader relocates: by symbol, and by the image. */
EXPORT GLOBAL u32 counter[2] = { 40, 2 };
EXPORT GLOBAL u32 *GLOBAL by_symbol = counter;
static GLOBAL u32 hidden_counter = 100;
EXPORT GLOBAL u32 *GLOBAL by_image = &hidden_counter;

KERNEL(64) void sum(GLOBAL u32 *out) {
	if (me() == 0)
		out[0] = counter[0] + by_symbol[1] + *by_image;
}

KERNEL(64) void trap(void) {
	__builtin_trap();
}

/* One scaled MFMA over 64 records of FP4 codes, 32 of A and 32 of B, and over their scales. */
KERNEL(64) void dot(GLOBAL f32x4 *out, const GLOBAL u32x4 *codes, const GLOBAL u32 *scales) {
	u32x4 a = codes[2 * me()], b = codes[2 * me() + 1];
	out[me()] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
		(i32x8){ a.x, a.y, a.z, a.w }, (i32x8){ b.x, b.y, b.z, b.w }, (f32x4){}, 4, 4, 0,
		scales[2 * me()], 0, scales[2 * me() + 1]);
}

/* The fields of the dispatch packet that kernels read. */
ANY_SIZE void packet(GLOBAL u32 *out) {
	typedef const __attribute__((address_space(4))) u32 constant;
	constant *p = (constant *)__builtin_amdgcn_dispatch_ptr();
	for (u32 i = 0; i < 12; i++)
		out[i] = p[i];
}

/* One word for each work-item that exists. */
ANY_SIZE void here(GLOBAL u32 *out, u32 block) {
	out[__builtin_amdgcn_workgroup_id_x() * block + me()] = 1 + me();
}

/* Stores its number only if the fields of other axes are 0. */
ANY_SIZE void only_x(GLOBAL u32 *out) {
	out[me()] = me();
}

ANY_SIZE void add(GLOBAL u32 *out, u32 n) {
	out[me()] += n;
}

/* Reads through the hidden argument for launches by the device. */
ANY_SIZE void launches(GLOBAL u32 *out) {
	typedef const __attribute__((address_space(4))) u8 implicit;
	implicit *p = (implicit *)__builtin_amdgcn_implicitarg_ptr();
	out[0] = **(const GLOBAL u32 *const __attribute__((address_space(4))) *)(p + 104);
}

KERNEL(64) void count(GLOBAL u32 *sum) {
	__scoped_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

KERNEL(64) void count_for_all(GLOBAL u32 *sum) {
	__scoped_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
}

/* Waits for a flag, and reads what comes before it. */
KERNEL(64) void await(const GLOBAL u32 *flag, GLOBAL u32 *at) {
	while (!__scoped_atomic_load_n(flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM))
		__builtin_amdgcn_s_sleep(1);
	at[1 + me()] = at[0];
}

/* Adds often to a dword and to the eight bytes after the next. */
KERNEL(64) void count_often(GLOBAL u32 *sum, u32 n) {
	for (u32 i = 0; i < n; i++) {
		__scoped_atomic_fetch_add(sum, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_SYSTEM);
		__scoped_atomic_fetch_add((GLOBAL u64 *)(sum + 2), 0x100000001, __ATOMIC_RELAXED,
		                          __MEMORY_SCOPE_SYSTEM);
	}
}

/* The second work-item that counts reads what comes before both. */
KERNEL(64) void last(GLOBAL u32 *sum, GLOBAL u32 *at) {
	if (__scoped_atomic_fetch_add(sum, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE))
		at[2] = at[0] + at[1];
}

/* Four waves of which each reads what another one writes, if both places are the same. */
KERNEL(256) void shift(GLOBAL u32 *out, const GLOBAL u32 *in) {
	out[me()] = in[(me() + 64) % 256];
}
