/* A floating-point type of 16 bits, and a pair of it, for kernels of hiprtc. rtc_prelude.hip includes
 * this file once for __half and once for __hip_bfloat16, with their names in MX_TYPE, MX_RAW, MX_PAIR
 * and MX_PAIR_RAW, the compiler's type in MX_SCALAR, the functions of <= and >= in MX_AT_MOST and
 * MX_AT_LEAST, and MX_OPERATORS and MX_CONVERSIONS 0 where the program has turned them off.
 *
 * Functions return what those of AMD's headers do [HIP 7.2, amd_hip_fp16.h, amd_hip_bf16.h]. Those for
 * which these need device libraries are missing, but for fma and the square root. */

struct MX_RAW {
	union {
		MX_RAW_MEMBERS
	};
};

struct MX_TYPE {
protected:
	MX_SCALAR data;

public:
	MX_TYPE() = default;
	__device__ __host__ constexpr MX_TYPE(MX_SCALAR value) : data(value) {}
	__device__ __host__ MX_TYPE(const MX_RAW &raw) : data(raw.data) {}
	__device__ __host__ operator MX_RAW() const {
		MX_RAW raw;
		raw.data = data;
		return raw;
	}
	friend __device__ __host__ MX_SCALAR __mx_scalar(MX_TYPE x) { return x.data; }
#if MX_CONVERSIONS
	template <typename T, typename = typename __mx_if<__is_arithmetic(T)>::type>
	__device__ __host__ constexpr MX_TYPE(T value) : data(static_cast<MX_SCALAR>(value)) {}
	template <typename T, typename = typename __mx_if<__is_arithmetic(T)>::type>
	__device__ __host__ operator T() const {
		return static_cast<T>(data);
	}
#endif
};

struct MX_PAIR_RAW {
	MX_RAW x, y;
};

struct alignas(4) MX_PAIR {
	MX_TYPE x, y;
	MX_PAIR() = default;
	__device__ __host__ constexpr MX_PAIR(const MX_TYPE &a, const MX_TYPE &b) : x(a), y(b) {}
	__device__ __host__ MX_PAIR(const MX_PAIR_RAW &raw) : x(raw.x), y(raw.y) {}
	__device__ __host__ operator MX_PAIR_RAW() const { return { x, y }; }
	__device__ __host__ operator float2() const {
		return { (float)__mx_scalar(x), (float)__mx_scalar(y) };
	}
};

/* ---- arithmetic ---- */

#define MX_BOTH(name, value)                                                                       \
	MX_DEVICE MX_PAIR name(MX_PAIR a, MX_PAIR b) {                                             \
		return MX_PAIR(value(a.x, b.x), value(a.y, b.y));                                  \
	}
#define MX_ARITHMETIC(name, pair_name, op)                                                         \
	MX_DEVICE MX_TYPE name(MX_TYPE a, MX_TYPE b) {                                             \
		return MX_TYPE(static_cast<MX_SCALAR>(__mx_scalar(a) op __mx_scalar(b)));          \
	}                                                                                          \
	MX_BOTH(pair_name, name)
MX_ARITHMETIC(__hadd, __hadd2, +)
MX_ARITHMETIC(__hsub, __hsub2, -)
MX_ARITHMETIC(__hmul, __hmul2, *)
MX_ARITHMETIC(__hdiv, __h2div, /)
#undef MX_ARITHMETIC

MX_DEVICE MX_TYPE __hfma(MX_TYPE a, MX_TYPE b, MX_TYPE c) {
	return MX_TYPE(__builtin_elementwise_fma(__mx_scalar(a), __mx_scalar(b), __mx_scalar(c)));
}
MX_DEVICE MX_PAIR __hfma2(MX_PAIR a, MX_PAIR b, MX_PAIR c) {
	return MX_PAIR(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#define MX_UNARY(name, pair_name, value)                                                           \
	MX_DEVICE MX_TYPE name(MX_TYPE a) {                                                        \
		MX_SCALAR x = __mx_scalar(a);                                                      \
		return MX_TYPE(static_cast<MX_SCALAR>(value));                                     \
	}                                                                                          \
	MX_DEVICE MX_PAIR pair_name(MX_PAIR a) { return MX_PAIR(name(a.x), name(a.y)); }
MX_UNARY(__hneg, __hneg2, -x)
MX_UNARY(__habs, __habs2, __builtin_elementwise_abs(x))
MX_UNARY(hrcp, h2rcp, static_cast<MX_SCALAR>(1.0f) / x)
MX_UNARY(hsqrt, h2sqrt, __builtin_sqrtf((float)x))
MX_UNARY(hfloor, h2floor, __builtin_floorf((float)x))
MX_UNARY(hceil, h2ceil, __builtin_ceilf((float)x))
MX_UNARY(htrunc, h2trunc, __builtin_truncf((float)x))
MX_UNARY(hrint, h2rint, __builtin_rintf((float)x))
#undef MX_UNARY

/* ---- comparisons: the names that end with u are true if an operand is NaN ---- */

#define MX_COMPARE(name, value)                                                                    \
	MX_DEVICE bool __h##name(MX_TYPE a, MX_TYPE b) {                                           \
		MX_SCALAR x = __mx_scalar(a), y = __mx_scalar(b);                                  \
		return value;                                                                      \
	}                                                                                          \
	MX_DEVICE MX_PAIR __h##name##2(MX_PAIR a, MX_PAIR b) {                                     \
		return MX_PAIR(MX_TYPE(static_cast<MX_SCALAR>(__h##name(a.x, b.x))),               \
		               MX_TYPE(static_cast<MX_SCALAR>(__h##name(a.y, b.y))));              \
	}
#define MX_COMPARE_BOTH(name)                                                                      \
	MX_DEVICE bool __hb##name##2(MX_PAIR a, MX_PAIR b) {                                       \
		return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                 \
	}
MX_COMPARE(eq, x == y)
MX_COMPARE(ne, x != y)
MX_COMPARE(lt, x < y)
MX_COMPARE(le, x <= y)
MX_COMPARE(gt, x > y)
MX_COMPARE(ge, x >= y)
MX_COMPARE(equ, !(x < y) && !(x > y))
MX_COMPARE(neu, !(x == y))
MX_COMPARE(ltu, !(x >= y))
MX_COMPARE(leu, !(x > y))
MX_COMPARE(gtu, !(x <= y))
MX_COMPARE(geu, !(x < y))
MX_COMPARE_BOTH(eq)
MX_COMPARE_BOTH(lt)
MX_COMPARE_BOTH(le)
MX_COMPARE_BOTH(gt)
MX_COMPARE_BOTH(ge)
#undef MX_COMPARE
#undef MX_COMPARE_BOTH

MX_DEVICE bool __hisnan(MX_TYPE a) {
	return __mx_scalar(a) != __mx_scalar(a);
}
MX_DEVICE int __hisinf(MX_TYPE a) {
	return __builtin_fabsf((float)__mx_scalar(a)) == __builtin_inff();
}

/* Of a number and a NaN they return the number, of two NaNs the quiet one. */
#define MX_CHOOSE(name, op)                                                                        \
	MX_DEVICE MX_TYPE name(MX_TYPE a, MX_TYPE b) {                                             \
		if (__hisnan(a) && __hisnan(b))                                                    \
			return MX_TYPE(static_cast<MX_SCALAR>(__builtin_nanf("")));                \
		return __hisnan(a) || __mx_scalar(b) op __mx_scalar(a) ? b : a;                    \
	}                                                                                          \
	MX_BOTH(name##2, name)
MX_CHOOSE(__hmax, >)
MX_CHOOSE(__hmin, <)
#undef MX_CHOOSE
#undef MX_BOTH

/* ---- operators ---- */

#if MX_OPERATORS
#define MX_OPERATOR(type, op, function)                                                            \
	MX_DEVICE type operator op(const type &a, const type &b) { return function(a, b); }        \
	MX_DEVICE type &operator op##=(type &a, const type &b) { return a = function(a, b); }
#define MX_ALL_OPERATORS(type, n)                                                                  \
	MX_OPERATOR(type, +, __hadd##n)                                                            \
	MX_OPERATOR(type, -, __hsub##n)                                                            \
	MX_OPERATOR(type, *, __hmul##n)                                                            \
	MX_DEVICE type operator-(const type &a) { return __hneg##n(a); }                           \
	MX_DEVICE type operator+(const type &a) { return a; }
MX_ALL_OPERATORS(MX_TYPE, )
MX_ALL_OPERATORS(MX_PAIR, 2)
MX_OPERATOR(MX_TYPE, /, __hdiv)
MX_OPERATOR(MX_PAIR, /, __h2div)
#define MX_COMPARISON(op, function)                                                                \
	MX_DEVICE bool operator op(const MX_TYPE &a, const MX_TYPE &b) { return function(a, b); }
MX_COMPARISON(==, __heq)
MX_COMPARISON(!=, __hne)
MX_COMPARISON(<, __hlt)
MX_COMPARISON(<=, MX_AT_MOST)
MX_COMPARISON(>, __hgt)
MX_COMPARISON(>=, MX_AT_LEAST)
#undef MX_COMPARISON
#undef MX_ALL_OPERATORS
#undef MX_OPERATOR
#endif

/* ---- the parts of pairs ---- */

MX_DEVICE float __low2float(MX_PAIR a) {
	return (float)__mx_scalar(a.x);
}
MX_DEVICE float __high2float(MX_PAIR a) {
	return (float)__mx_scalar(a.y);
}
MX_DEVICE MX_PAIR __lowhigh2highlow(MX_PAIR a) {
	return MX_PAIR(a.y, a.x);
}

#undef MX_TYPE
#undef MX_RAW
#undef MX_RAW_MEMBERS
#undef MX_PAIR
#undef MX_PAIR_RAW
#undef MX_SCALAR
#undef MX_OPERATORS
#undef MX_AT_MOST
#undef MX_AT_LEAST
#undef MX_CONVERSIONS
