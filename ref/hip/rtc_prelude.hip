/* What kernels of hiprtc may use without a header, as with AMD's. */
#pragma once

#define __global__            __attribute__((global))
#define __device__            __attribute__((device))
#define __host__              __attribute__((host))
#define __shared__            __attribute__((shared))
#define __constant__          __attribute__((constant))
#define __forceinline__       inline __attribute__((always_inline))
#define __noinline__          __attribute__((noinline))
#define __launch_bounds__(...) __mx_bounds(__VA_ARGS__, 1)
#define __mx_bounds(n, ...)   __attribute__((amdgpu_flat_work_group_size(1, n)))
#define __HIPCC_RTC__         1

typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;

/* ---- where a work-item is ---- */

#define MX_DEVICE static __device__ __forceinline__

template <unsigned (*X)(), unsigned (*Y)(), unsigned (*Z)()> struct __mx_place {
	struct __mx_x {
		__device__ operator unsigned() const { return X(); }
	} x;
	struct __mx_y {
		__device__ operator unsigned() const { return Y(); }
	} y;
	struct __mx_z {
		__device__ operator unsigned() const { return Z(); }
	} z;
};

#define MX_PLACE(name, x, y, z)                                                                    \
	MX_DEVICE unsigned __mx_##name##_x() { return x; }                                         \
	MX_DEVICE unsigned __mx_##name##_y() { return y; }                                         \
	MX_DEVICE unsigned __mx_##name##_z() { return z; }                                         \
	static __device__ const __mx_place<__mx_##name##_x, __mx_##name##_y, __mx_##name##_z> name{};
MX_PLACE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
         __builtin_amdgcn_workitem_id_z())
MX_PLACE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
         __builtin_amdgcn_workgroup_id_z())
MX_PLACE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_workgroup_size_z())
/* Work-items of the grid by those of a workgroup. */
MX_PLACE(gridDim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(),
         __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
#undef MX_PLACE

static __device__ const int warpSize = 64;

/* ---- order ---- */

MX_DEVICE void __syncthreads() {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

MX_DEVICE void __threadfence() {
	__builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent");
}

template <typename T> MX_DEVICE T atomicAdd(T *at, T value) {
	return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T> MX_DEVICE T atomicMax(T *at, T value) {
	return __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T> MX_DEVICE T atomicMin(T *at, T value) {
	return __hip_atomic_fetch_min(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T> MX_DEVICE T atomicExch(T *at, T value) {
	return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <typename T> MX_DEVICE T atomicCAS(T *at, T expected, T value) {
	__hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED,
	                                     __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
	return expected;
}

/* ---- numbers: what the compiler has without AMD's device libraries ---- */

#define MX_UNARY(name)                                                                             \
	MX_DEVICE float name##f(float x) { return __builtin_##name##f(x); }                        \
	MX_DEVICE double name(double x) { return __builtin_##name(x); }
MX_UNARY(fabs)
MX_UNARY(floor)
MX_UNARY(ceil)
MX_UNARY(trunc)
MX_UNARY(rint)
MX_UNARY(sqrt)
#undef MX_UNARY

#define MX_FLOAT(name)                                                                             \
	MX_DEVICE float name##f(float x) { return __builtin_##name##f(x); }
MX_FLOAT(exp)
MX_FLOAT(exp2)
MX_FLOAT(log)
MX_FLOAT(log2)
MX_FLOAT(log10)
#undef MX_FLOAT

#define MX_BINARY(name)                                                                            \
	MX_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }            \
	MX_DEVICE double name(double x, double y) { return __builtin_##name(x, y); }
MX_BINARY(fmin)
MX_BINARY(fmax)
MX_BINARY(copysign)
#undef MX_BINARY

MX_DEVICE float fmaf(float x, float y, float z) {
	return __builtin_fmaf(x, y, z);
}
MX_DEVICE double fma(double x, double y, double z) {
	return __builtin_fma(x, y, z);
}
template <typename T> MX_DEVICE T min(T a, T b) {
	return b < a ? b : a;
}
template <typename T> MX_DEVICE T max(T a, T b) {
	return a < b ? b : a;
}
#undef MX_DEVICE
