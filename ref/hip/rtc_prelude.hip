/* What kernels of hiprtc may use without a header, as with AMD's. */
#pragma once
#pragma clang system_header

#define __global__            __attribute__((global))
#define __device__            __attribute__((device))
#define __host__              __attribute__((host))
#define __shared__            __attribute__((shared))
#define __constant__          __attribute__((constant))
#define __managed__           __attribute__((managed))
#define __forceinline__       inline __attribute__((always_inline))
#define __noinline__          __attribute__((noinline))
#define __launch_bounds__(...) __mx_bounds(__VA_ARGS__, __mx_bounds_2, __mx_bounds_1)(__VA_ARGS__)
#define __mx_bounds(n, waves, chosen, ...) chosen
#define __mx_bounds_1(n)      __attribute__((amdgpu_flat_work_group_size(1, n)))
#define __mx_bounds_2(n, waves)                                                                    \
	__attribute__((amdgpu_flat_work_group_size(1, n), amdgpu_waves_per_eu(waves)))

typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
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

#ifdef __GFX9__
static __device__ const int warpSize = 64;
#define MX_BALLOT(p) __builtin_amdgcn_ballot_w64(p)
#else
static __device__ const int warpSize = 32;
#define MX_BALLOT(p) __builtin_amdgcn_ballot_w32(p)
#endif

MX_DEVICE unsigned __lane_id() {
	unsigned low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
	return warpSize == 32 ? low : __builtin_amdgcn_mbcnt_hi(~0u, low);
}

MX_DEVICE long long clock64() {
	return __builtin_readcyclecounter();
}
MX_DEVICE long long wall_clock64() {
	return __builtin_readsteadycounter();
}

/* ---- order ---- */

#define MX_FENCE(name, scope)                                                                      \
	MX_DEVICE void name() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, scope); }
MX_FENCE(__threadfence_block, "workgroup")
MX_FENCE(__threadfence, "agent")
MX_FENCE(__threadfence_system, "")
#undef MX_FENCE

MX_DEVICE void __syncthreads() {
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

MX_DEVICE void __syncwarp() {
	__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
	__builtin_amdgcn_wave_barrier();
}

/* The type of a parameter from which a template does not take its own type. */
template <typename T> struct __mx_plain {
	typedef T type;
};

#define MX_ATOMIC(name, builtin)                                                                   \
	MX_ATOMIC_IN(name, builtin, __HIP_MEMORY_SCOPE_AGENT)                                      \
	MX_ATOMIC_IN(name##_system, builtin, __HIP_MEMORY_SCOPE_SYSTEM)
#define MX_ATOMIC_IN(name, builtin, scope)                                                         \
	template <typename T> MX_DEVICE T name(T *at, typename __mx_plain<T>::type value) {        \
		return builtin(at, value, __ATOMIC_RELAXED, scope);                                \
	}
MX_ATOMIC(atomicAdd, __hip_atomic_fetch_add)
MX_ATOMIC(atomicSub, __hip_atomic_fetch_sub)
MX_ATOMIC(atomicMax, __hip_atomic_fetch_max)
MX_ATOMIC(atomicMin, __hip_atomic_fetch_min)
MX_ATOMIC(atomicAnd, __hip_atomic_fetch_and)
MX_ATOMIC(atomicOr, __hip_atomic_fetch_or)
MX_ATOMIC(atomicXor, __hip_atomic_fetch_xor)
MX_ATOMIC(atomicExch, __hip_atomic_exchange)
#undef MX_ATOMIC_IN
#undef MX_ATOMIC

#define MX_CAS(name, scope)                                                                        \
	template <typename T>                                                                      \
	MX_DEVICE T name(T *at, typename __mx_plain<T>::type expected,                             \
	                 typename __mx_plain<T>::type value) {                                     \
		__hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED,       \
		                                     __ATOMIC_RELAXED, scope);                     \
		return expected;                                                                   \
	}
MX_CAS(atomicCAS, __HIP_MEMORY_SCOPE_AGENT)
MX_CAS(atomicCAS_system, __HIP_MEMORY_SCOPE_SYSTEM)
#undef MX_CAS

/* By compare and swap: the builtin for it has another signature in each version of clang. */
#define MX_WRAP(name, next)                                                                        \
	MX_DEVICE unsigned name(unsigned *at, unsigned most) {                                     \
		unsigned old = atomicAdd(at, 0), seen;                                             \
		do {                                                                               \
			seen = old;                                                                \
			old = atomicCAS(at, seen, next);                                           \
		} while (old != seen);                                                             \
		return old;                                                                        \
	}
MX_WRAP(atomicInc, seen >= most ? 0 : seen + 1)
MX_WRAP(atomicDec, seen == 0 || seen > most ? most : seen - 1)
#undef MX_WRAP

/* How many work-items of the workgroup have a predicate. The count has its place in LDS; the first
 * barrier lets the reads of an earlier call end. */
MX_DEVICE int __syncthreads_count(int predicate) {
	__shared__ int count;
	__syncthreads();
	if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
		count = 0;
	__syncthreads();
	if (predicate)
		__hip_atomic_fetch_add(&count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
	__syncthreads();
	return count;
}
MX_DEVICE int __syncthreads_or(int predicate) {
	return __syncthreads_count(predicate) != 0;
}
MX_DEVICE int __syncthreads_and(int predicate) {
	return __syncthreads_count(!predicate) == 0;
}

/* ---- the lanes of a wave ---- */

MX_DEVICE unsigned long long __ballot(int predicate) {
	return MX_BALLOT(predicate != 0);
}
MX_DEVICE unsigned long long __activemask() {
	return __ballot(1);
}
MX_DEVICE int __any(int predicate) {
	return __ballot(predicate) != 0;
}
MX_DEVICE int __all(int predicate) {
	return __ballot(predicate) == __activemask();
}
MX_DEVICE unsigned long long __ballot_sync(unsigned long long mask, int predicate) {
	return __ballot(predicate) & mask;
}
MX_DEVICE int __any_sync(unsigned long long mask, int predicate) {
	return __ballot_sync(mask, predicate) != 0;
}
MX_DEVICE int __all_sync(unsigned long long mask, int predicate) {
	return __ballot_sync(mask, predicate) == mask;
}

template <typename T> MX_DEVICE T __mx_from_lane(T value, int lane) {
	int words[(sizeof(T) + 3) / 4] = {};
	__builtin_memcpy(words, &value, sizeof(T));
	for (int &word : words)
		word = __builtin_amdgcn_ds_bpermute(4 * lane, word);
	__builtin_memcpy(&value, words, sizeof(T));
	return value;
}

/* A lane reads its own value if the other one is outside its group of WIDTH lanes. */
#define MX_SHUFFLE(name, type, from)                                                               \
	template <typename T> MX_DEVICE T name(T value, type n, int width = warpSize) {            \
		int self = __lane_id(), first = self & ~(width - 1), lane = from;                  \
		return __mx_from_lane(value, lane >= first && lane < first + width ? lane : self); \
	}                                                                                          \
	template <typename T>                                                                      \
	MX_DEVICE T name##_sync(unsigned long long, T value, type n, int width = warpSize) {       \
		return name(value, n, width);                                                      \
	}
MX_SHUFFLE(__shfl, int, first + (n & (width - 1)))
MX_SHUFFLE(__shfl_up, unsigned, self - (int)n)
MX_SHUFFLE(__shfl_down, unsigned, self + (int)n)
#undef MX_SHUFFLE
/* But with __shfl_xor it reads from groups before its own [HIP, amd_warp_functions.h]. */
template <typename T> MX_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
	int self = __lane_id(), lane = self ^ mask;
	return __mx_from_lane(value, lane < (self & ~(width - 1)) + width ? lane : self);
}
template <typename T>
MX_DEVICE T __shfl_xor_sync(unsigned long long, T value, int mask, int width = warpSize) {
	return __shfl_xor(value, mask, width);
}
#undef MX_BALLOT

/* ---- integers and bits ---- */

#define MX_BITS(name, result, type, value)                                                         \
	MX_DEVICE result name(type x) { return value; }
MX_BITS(__popc, int, unsigned, __builtin_popcount(x))
MX_BITS(__popcll, int, unsigned long long, __builtin_popcountll(x))
MX_BITS(__clz, int, int, x ? __builtin_clz(x) : 32)
MX_BITS(__clzll, int, long long, x ? __builtin_clzll(x) : 64)
MX_BITS(__ffs, int, int, __builtin_ffs(x))
MX_BITS(__ffsll, int, long long, __builtin_ffsll(x))
MX_BITS(__brev, unsigned, unsigned, __builtin_bitreverse32(x))
MX_BITS(__brevll, unsigned long long, unsigned long long, __builtin_bitreverse64(x))
MX_BITS(__float_as_int, int, float, __builtin_bit_cast(int, x))
MX_BITS(__float_as_uint, unsigned, float, __builtin_bit_cast(unsigned, x))
MX_BITS(__int_as_float, float, int, __builtin_bit_cast(float, x))
MX_BITS(__uint_as_float, float, unsigned, __builtin_bit_cast(float, x))
MX_BITS(__double_as_longlong, long long, double, __builtin_bit_cast(long long, x))
MX_BITS(__longlong_as_double, double, long long, __builtin_bit_cast(double, x))
#undef MX_BITS

MX_DEVICE int __mulhi(int x, int y) {
	return (long long)x * y >> 32;
}
MX_DEVICE unsigned __umulhi(unsigned x, unsigned y) {
	return (unsigned long long)x * y >> 32;
}
template <typename T> MX_DEVICE T __ldg(const T *at) {
	return *at;
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

/* ---- vectors ---- */

template <typename T, unsigned N> struct __mx_elements;
template <typename T> struct __mx_elements<T, 1> {
	union {
		T data[1];
		T x;
	};
};
template <typename T> struct __mx_elements<T, 2> {
	union {
		T data[2];
		struct {
			T x, y;
		};
	};
};
template <typename T> struct __mx_elements<T, 3> {
	union {
		T data[3];
		struct {
			T x, y, z;
		};
	};
};
template <typename T> struct __mx_elements<T, 4> {
	union {
		T data[4];
		struct {
			T x, y, z, w;
		};
	};
};

#define MX_OPERATOR(op)                                                                            \
	friend __device__ __host__ __mx_vector operator op(__mx_vector a, const __mx_vector &b) {  \
		for (unsigned i = 0; i < N; i++)                                                   \
			a.data[i] = a.data[i] op b.data[i];                                        \
		return a;                                                                          \
	}                                                                                          \
	__device__ __host__ __mx_vector &operator op##=(const __mx_vector &b) {                    \
		return *this = *this op b;                                                         \
	}
#define MX_SIGN(op)                                                                                \
	__device__ __host__ __mx_vector operator op() const {                                      \
		__mx_vector a;                                                                     \
		for (unsigned i = 0; i < N; i++)                                                   \
			a.data[i] = op this->data[i];                                              \
		return a;                                                                          \
	}
#define MX_STEP(op, by)                                                                            \
	__device__ __host__ __mx_vector &operator op() { return *this by T(1); }                   \
	__device__ __host__ __mx_vector operator op(int) {                                         \
		__mx_vector before = *this;                                                        \
		*this by T(1);                                                                     \
		return before;                                                                     \
	}

/* A vector of one value has it in all elements. */
template <typename T, unsigned N>
struct alignas(N == 3 ? sizeof(T) : N * sizeof(T)) __mx_vector : __mx_elements<T, N> {
	__mx_vector() = default;
	__device__ __host__ __mx_vector(T value) {
		for (T &element : this->data)
			element = value;
	}
	template <typename A, typename B, typename... C>
	__device__ __host__ __mx_vector(A a, B b, C... c) {
		static_assert(2 + sizeof...(c) == N, "as many values as elements");
		const T values[] = { T(a), T(b), T(c)... };
		for (unsigned i = 0; i < N; i++)
			this->data[i] = values[i];
	}
	MX_OPERATOR(+)
	MX_OPERATOR(-)
	MX_OPERATOR(*)
	MX_OPERATOR(/)
	MX_OPERATOR(%)
	MX_OPERATOR(&)
	MX_OPERATOR(|)
	MX_OPERATOR(^)
	MX_OPERATOR(<<)
	MX_OPERATOR(>>)
	MX_SIGN(-)
	MX_SIGN(~)
	MX_STEP(++, +=)
	MX_STEP(--, -=)
	friend __device__ __host__ bool operator==(const __mx_vector &a, const __mx_vector &b) {
		bool same = true;
		for (unsigned i = 0; i < N; i++)
			same &= a.data[i] == b.data[i];
		return same;
	}
	friend __device__ __host__ bool operator!=(const __mx_vector &a, const __mx_vector &b) {
		return !(a == b);
	}
};
#undef MX_OPERATOR
#undef MX_SIGN
#undef MX_STEP

#define MX_VECTORS(name, T)                                                                        \
	typedef __mx_vector<T, 1> name##1;                                                         \
	typedef __mx_vector<T, 2> name##2;                                                         \
	typedef __mx_vector<T, 3> name##3;                                                         \
	typedef __mx_vector<T, 4> name##4;                                                         \
	MX_DEVICE name##1 make_##name##1(T x) { return { x }; }                                    \
	MX_DEVICE name##2 make_##name##2(T x, T y) { return { x, y }; }                            \
	MX_DEVICE name##3 make_##name##3(T x, T y, T z) { return { x, y, z }; }                    \
	MX_DEVICE name##4 make_##name##4(T x, T y, T z, T w) { return { x, y, z, w }; }
MX_VECTORS(char, char)
MX_VECTORS(uchar, unsigned char)
MX_VECTORS(short, short)
MX_VECTORS(ushort, unsigned short)
MX_VECTORS(int, int)
MX_VECTORS(uint, unsigned)
MX_VECTORS(long, long)
MX_VECTORS(ulong, unsigned long)
MX_VECTORS(longlong, long long)
MX_VECTORS(ulonglong, unsigned long long)
MX_VECTORS(float, float)
MX_VECTORS(double, double)
#undef MX_VECTORS

/* ---- half precision and bfloat16 ---- */

template <bool> struct __mx_if {};
template <> struct __mx_if<true> {
	typedef int type;
};

#define MX_TYPE        __half
#define MX_RAW         __half_raw
#define MX_RAW_MEMBERS _Float16 data; unsigned short x;
#define MX_PAIR        __half2
#define MX_PAIR_RAW    __half2_raw
#define MX_SCALAR      _Float16
#define MX_AT_MOST     __hleu /* as in AMD's header: true of a NaN */
#define MX_AT_LEAST    __hgeu
#ifdef __HIP_NO_HALF_OPERATORS__
#define MX_OPERATORS 0
#else
#define MX_OPERATORS 1
#endif
#ifdef __HIP_NO_HALF_CONVERSIONS__
#define MX_CONVERSIONS 0
#else
#define MX_CONVERSIONS 1
#endif
#include "rtc_float16.hip"
typedef __half half;
typedef __half2 half2;

#define MX_TYPE        __hip_bfloat16
#define MX_RAW         __hip_bfloat16_raw
#define MX_RAW_MEMBERS unsigned short x; __bf16 data;
#define MX_PAIR        __hip_bfloat162
#define MX_PAIR_RAW    __hip_bfloat162_raw
#define MX_SCALAR      __bf16
#define MX_AT_MOST     __hle
#define MX_AT_LEAST    __hge
#define MX_OPERATORS   1
#define MX_CONVERSIONS 1
#include "rtc_float16.hip"

/* The names of conversions have those of the types: half and bfloat16. */
#define MX_CONVERT(result, name, type, value)                                                      \
	MX_DEVICE result name(type x) { return value; }
#define MX_CONVERT_PAIR(result, name, a, b)                                                        \
	MX_DEVICE result name(a x, b y) { return result(x, y); }
MX_CONVERT(__half, __float2half, float, static_cast<_Float16>(x))
MX_CONVERT(__half, __float2half_rn, float, static_cast<_Float16>(x))
MX_CONVERT(__half, __double2half, double, static_cast<_Float16>(x))
MX_CONVERT(__half, __int2half_rn, int, static_cast<_Float16>(x))
MX_CONVERT(__half, __uint2half_rn, unsigned, static_cast<_Float16>(x))
MX_CONVERT(float, __half2float, __half, (float)__mx_scalar(x))
MX_CONVERT(int, __half2int_rz, __half, (int)__mx_scalar(x))
MX_CONVERT(unsigned, __half2uint_rz, __half, (unsigned)__mx_scalar(x))
MX_CONVERT(short, __half_as_short, __half, __builtin_bit_cast(short, x))
MX_CONVERT(unsigned short, __half_as_ushort, __half, __builtin_bit_cast(unsigned short, x))
MX_CONVERT(__half, __short_as_half, short, __builtin_bit_cast(_Float16, x))
MX_CONVERT(__half, __ushort_as_half, unsigned short, __builtin_bit_cast(_Float16, x))
MX_CONVERT(__half2, __half2half2, __half, __half2(x, x))
MX_CONVERT(__half2, __float2half2_rn, float, __half2(__float2half(x), __float2half(x)))
MX_CONVERT(__half2, __float22half2_rn, float2, __half2(__float2half(x.x), __float2half(x.y)))
MX_CONVERT(float2, __half22float2, __half2, x)
MX_CONVERT(__half, __low2half, __half2, x.x)
MX_CONVERT(__half, __high2half, __half2, x.y)
MX_CONVERT(__half2, __low2half2, __half2, __half2(x.x, x.x))
MX_CONVERT(__half2, __high2half2, __half2, __half2(x.y, x.y))
MX_CONVERT_PAIR(__half2, __halves2half2, __half, __half)
MX_CONVERT_PAIR(__half2, make_half2, __half, __half)
MX_CONVERT_PAIR(__half2, __floats2half2_rn, float, float)
MX_CONVERT(__hip_bfloat16, __float2bfloat16, float, static_cast<__bf16>(x))
MX_CONVERT(__hip_bfloat16, __float2bfloat16_rn, float, static_cast<__bf16>(x))
MX_CONVERT(__hip_bfloat16, __double2bfloat16, double, static_cast<__bf16>(x))
MX_CONVERT(__hip_bfloat16, __int2bfloat16_rn, int, static_cast<__bf16>(x))
MX_CONVERT(float, __bfloat162float, __hip_bfloat16, (float)__mx_scalar(x))
MX_CONVERT(short, __bfloat16_as_short, __hip_bfloat16, __builtin_bit_cast(short, x))
MX_CONVERT(unsigned short, __bfloat16_as_ushort, __hip_bfloat16,
           __builtin_bit_cast(unsigned short, x))
MX_CONVERT(__hip_bfloat16, __short_as_bfloat16, short, __builtin_bit_cast(__bf16, x))
MX_CONVERT(__hip_bfloat16, __ushort_as_bfloat16, unsigned short, __builtin_bit_cast(__bf16, x))
MX_CONVERT(__hip_bfloat162, __bfloat162bfloat162, __hip_bfloat16, __hip_bfloat162(x, x))
MX_CONVERT(__hip_bfloat162, __float22bfloat162_rn, float2,
           __hip_bfloat162(__float2bfloat16(x.x), __float2bfloat16(x.y)))
MX_CONVERT(float2, __bfloat1622float2, __hip_bfloat162, x)
MX_CONVERT(__hip_bfloat16, __low2bfloat16, __hip_bfloat162, x.x)
MX_CONVERT(__hip_bfloat16, __high2bfloat16, __hip_bfloat162, x.y)
MX_CONVERT(__hip_bfloat162, __low2bfloat162, __hip_bfloat162, __hip_bfloat162(x.x, x.x))
MX_CONVERT(__hip_bfloat162, __high2bfloat162, __hip_bfloat162, __hip_bfloat162(x.y, x.y))
MX_CONVERT_PAIR(__hip_bfloat162, __halves2bfloat162, __hip_bfloat16, __hip_bfloat16)
MX_CONVERT_PAIR(__hip_bfloat162, __floats2bfloat162_rn, float, float)
#undef MX_CONVERT
#undef MX_CONVERT_PAIR

#include "rtc_fp8.hip"
#undef MX_DEVICE
