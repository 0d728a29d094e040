/* FP8 as the OCP defines it, for kernels of hiprtc: E4M3 and E5M2, and vectors of 2 and 4. What is
 * returned is what AMD's header returns [HIP 7.2, amd_hip_fp8.h], with two exceptions. There the
 * conversion of two floats by one instruction does not saturate, and that of a double below 2^-64
 * shifts by more than 63 bits. */

enum __hip_fp8_interpretation_t { __HIP_E4M3, __HIP_E5M2 };
enum __hip_saturation_t { __HIP_NOSAT, __HIP_SATFINITE };
typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned __hip_fp8x4_storage_t;

/* Saturation takes finite values to the largest one. Infinity and NaN stay what the format has. */
MX_DEVICE __hip_fp8_storage_t __hip_cvt_float_to_fp8(float x, __hip_saturation_t saturation,
                                                     __hip_fp8_interpretation_t format) {
	float most = format == __HIP_E4M3 ? 448.0f : 57344.0f;
	if (saturation == __HIP_SATFINITE && __builtin_isfinite(x))
		x = __builtin_amdgcn_fmed3f(x, most, -most);
	return format == __HIP_E4M3 ? __builtin_amdgcn_cvt_pk_fp8_f32(x, x, 0, false)
	                            : __builtin_amdgcn_cvt_pk_bf8_f32(x, x, 0, false);
}

/* By rounding to odd, after which rounding once more is that of the double. */
MX_DEVICE __hip_fp8_storage_t __hip_cvt_double_to_fp8(double x, __hip_saturation_t saturation,
                                                      __hip_fp8_interpretation_t format) {
	float nearest = (float)x;
	unsigned bits = __float_as_uint(nearest);
	if (x != x)
		return bits >> 31 << 7 | 0x7F;
	if (nearest != x) {
		bits -= __builtin_fabs((double)nearest) > __builtin_fabs(x);
		bits |= 1;
	}
	return __hip_cvt_float_to_fp8(__uint_as_float(bits), saturation, format);
}

MX_DEVICE float __mx_fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t format) {
	return format == __HIP_E4M3 ? __builtin_amdgcn_cvt_f32_fp8(x, 0)
	                            : __builtin_amdgcn_cvt_f32_bf8(x, 0);
}

/* ---- other types, and pairs ---- */

#define MX_FROM(name, type, value)                                                                 \
	MX_DEVICE __hip_fp8_storage_t name(type x, __hip_saturation_t saturation,                  \
	                                   __hip_fp8_interpretation_t format) {                    \
		return __hip_cvt_float_to_fp8(value, saturation, format);                          \
	}
MX_FROM(__hip_cvt_halfraw_to_fp8, __half_raw, (float)x.data)
MX_FROM(__hip_cvt_bfloat16raw_to_fp8, __hip_bfloat16_raw, (float)x.data)
#undef MX_FROM

#define MX_FROM_PAIR(name, type, one)                                                              \
	MX_DEVICE __hip_fp8x2_storage_t name(type x, __hip_saturation_t saturation,                \
	                                     __hip_fp8_interpretation_t format) {                  \
		return one(x.x, saturation, format) | one(x.y, saturation, format) << 8;           \
	}
MX_FROM_PAIR(__hip_cvt_float2_to_fp8x2, float2, __hip_cvt_float_to_fp8)
MX_FROM_PAIR(__hip_cvt_double2_to_fp8x2, double2, __hip_cvt_double_to_fp8)
MX_FROM_PAIR(__hip_cvt_halfraw2_to_fp8x2, __half2_raw, __hip_cvt_halfraw_to_fp8)
MX_FROM_PAIR(__hip_cvt_bfloat16raw2_to_fp8x2, __hip_bfloat162_raw, __hip_cvt_bfloat16raw_to_fp8)
#undef MX_FROM_PAIR

MX_DEVICE __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t x,
                                              __hip_fp8_interpretation_t format) {
	return __float2half(__mx_fp8_to_float(x, format));
}
MX_DEVICE __half2_raw __hip_cvt_fp8x2_to_halfraw2(__hip_fp8x2_storage_t x,
                                                  __hip_fp8_interpretation_t format) {
	return { __hip_cvt_fp8_to_halfraw(x & 0xFF, format),
		 __hip_cvt_fp8_to_halfraw(x >> 8, format) };
}

/* ---- the types ---- */

#define MX_FP8(name, format)                                                                       \
	struct name {                                                                              \
		__hip_fp8_storage_t __x;                                                           \
		name() = default;                                                                  \
		template <typename T, typename = typename __mx_if<__is_arithmetic(T)>::type>       \
		__device__ name(T x)                                                               \
		    : __x(__hip_cvt_float_to_fp8((float)x, __HIP_SATFINITE, format)) {}            \
		__device__ name(double x)                                                          \
		    : __x(__hip_cvt_double_to_fp8(x, __HIP_SATFINITE, format)) {}                  \
		__device__ name(__half x) : name((float)__mx_scalar(x)) {}                         \
		__device__ name(__hip_bfloat16 x) : name((float)__mx_scalar(x)) {}                 \
		template <typename T, typename = typename __mx_if<__is_arithmetic(T)>::type>       \
		__device__ operator T() const {                                                    \
			return (T)__mx_fp8_to_float(__x, format);                                  \
		}                                                                                  \
		__device__ operator __half() const {                                               \
			return __hip_cvt_fp8_to_halfraw(__x, format);                              \
		}                                                                                  \
		__device__ operator __hip_bfloat16() const {                                       \
			return __float2bfloat16(__mx_fp8_to_float(__x, format));                   \
		}                                                                                  \
	};
#define MX_FP8X2(name, format)                                                                     \
	struct name {                                                                              \
		__hip_fp8x2_storage_t __x;                                                         \
		name() = default;                                                                  \
		__device__ name(float2 x)                                                          \
		    : __x(__hip_cvt_float2_to_fp8x2(x, __HIP_SATFINITE, format)) {}                \
		__device__ name(double2 x)                                                         \
		    : __x(__hip_cvt_double2_to_fp8x2(x, __HIP_SATFINITE, format)) {}               \
		__device__ name(__half2 x)                                                         \
		    : __x(__hip_cvt_halfraw2_to_fp8x2(x, __HIP_SATFINITE, format)) {}              \
		__device__ name(__hip_bfloat162 x)                                                 \
		    : __x(__hip_cvt_bfloat16raw2_to_fp8x2(x, __HIP_SATFINITE, format)) {}          \
		__device__ operator __half2() const {                                              \
			return __hip_cvt_fp8x2_to_halfraw2(__x, format);                           \
		}                                                                                  \
		__device__ operator float2() const {                                               \
			return { __mx_fp8_to_float(__x & 0xFF, format),                            \
				 __mx_fp8_to_float(__x >> 8, format) };                            \
		}                                                                                  \
	};
#define MX_FP8X4(name, pair)                                                                       \
	struct name {                                                                              \
		__hip_fp8x4_storage_t __x;                                                         \
		name() = default;                                                                  \
		__device__ name(float4 x)                                                          \
		    : __x(pair(float2(x.x, x.y)).__x |                                             \
		          (unsigned)pair(float2(x.z, x.w)).__x << 16) {}                           \
		__device__ name(double4 x)                                                         \
		    : __x(pair(double2(x.x, x.y)).__x |                                            \
		          (unsigned)pair(double2(x.z, x.w)).__x << 16) {}                          \
		__device__ name(__half2 low, __half2 high)                                         \
		    : __x(pair(low).__x | (unsigned)pair(high).__x << 16) {}                       \
		__device__ name(__hip_bfloat162 low, __hip_bfloat162 high)                         \
		    : __x(pair(low).__x | (unsigned)pair(high).__x << 16) {}                       \
		__device__ operator float4() const {                                               \
			pair parts[2];                                                             \
			parts[0].__x = __x & 0xFFFF;                                               \
			parts[1].__x = __x >> 16;                                                  \
			float2 low = parts[0], high = parts[1];                                    \
			return { low.x, low.y, high.x, high.y };                                   \
		}                                                                                  \
	};
MX_FP8(__hip_fp8_e4m3, __HIP_E4M3)
MX_FP8(__hip_fp8_e5m2, __HIP_E5M2)
MX_FP8X2(__hip_fp8x2_e4m3, __HIP_E4M3)
MX_FP8X2(__hip_fp8x2_e5m2, __HIP_E5M2)
MX_FP8X4(__hip_fp8x4_e4m3, __hip_fp8x2_e4m3)
MX_FP8X4(__hip_fp8x4_e5m2, __hip_fp8x2_e5m2)
#undef MX_FP8
#undef MX_FP8X2
#undef MX_FP8X4
