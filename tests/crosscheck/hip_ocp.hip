/* The conversions of HIP's header hip_ext_ocp.h on the device, against the formats' definitions: in
 * doubles, which hold every value of these formats exactly. hip_ocp.py includes a line CHECK(name)
 * for each function as NAMES. What a function does follows from its name: `__amd_cvt_A_to_B`, where
 * A and B are a format and the number of elements, then _sr for stochastic rounding and _scale for
 * a scale. */
#include <hip/hip_runtime.h>
#include <hip/hip_ext_ocp.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>

/* With which clang copies a bfloat16 on the host, where the value is exact; libgcc has it since
 * GCC 13. */
extern "C" __attribute__((weak)) __bf16 __truncsfbf2(float x) {
	return __builtin_bit_cast(__bf16, (uint16_t)(__builtin_bit_cast(uint32_t, x) >> 16));
}

/* ---- the formats [OCP MX v1.0, IEEE 754] ---- */

enum Specials { IEEE, ONLY_NAN, FINITE };

struct Format {
	int exponent, mantissa, bias;
	Specials specials;
	int bits() const { return 1 + exponent + mantissa; }
};

static Format format_of(const std::string &name, bool second) {
	if (name == "fp8")
		return second ? Format{ 5, 2, 15, IEEE } : Format{ 4, 3, 7, ONLY_NAN };
	if (name == "fp6")
		return second ? Format{ 3, 2, 3, FINITE } : Format{ 2, 3, 1, FINITE };
	if (name == "fp4")
		return { 2, 1, 1, FINITE };
	if (name == "fp16")
		return { 5, 10, 15, IEEE };
	return name == "bf16" ? Format{ 8, 7, 127, IEEE } : Format{ 8, 23, 127, IEEE };
}

static double decode(uint32_t code, const Format &f) {
	uint32_t mask = (1u << f.mantissa) - 1, top = (1u << f.exponent) - 1;
	uint32_t e = code >> f.mantissa & top, m = code & mask;
	double x = e ? ldexp(mask + 1 + m, (int)e - f.bias - f.mantissa)
	             : ldexp(m, 1 - f.bias - f.mantissa);
	if (f.specials == IEEE && e == top)
		x = m ? NAN : INFINITY;
	if (f.specials == ONLY_NAN && e == top && m == mask)
		x = NAN;
	return code >> (f.exponent + f.mantissa) & 1 ? -x : x;
}

static double largest(const Format &f) {
	uint32_t all = (1u << (f.exponent + f.mantissa)) - 1;
	return decode(f.specials == FINITE     ? all
	              : f.specials == ONLY_NAN ? all - 1
	                                       : all - (1u << f.mantissa),
	              f);
}

/* FP8 does not saturate: these instructions do so only with FP16_OVFL, which no header sets. */
static double overflow(const Format &f) {
	return f.specials == IEEE ? INFINITY : f.specials == ONLY_NAN ? NAN : largest(f);
}

enum Rounding { NEAREST_EVEN, SMALLER, LARGER }; /* in magnitude */

static double rounded(double x, const Format &f, Rounding how) {
	if (x != x || x == 0)
		return x;
	int e = std::isinf(x) ? 0 : std::max(ilogb(x), 1 - f.bias);
	double unit = ldexp(1, e - f.mantissa), y = fabs(x) / unit;
	y = unit * (how == SMALLER ? floor(y) : how == LARGER ? ceil(y) : nearbyint(y));
	if (std::isinf(x))
		y = overflow(f);
	else if (y > largest(f))
		y = how == SMALLER ? largest(f) : overflow(f);
	return copysign(y, x);
}

/* ---- what a name says ---- */

struct Conversion {
	std::string from, to;
	int n = 1;
	bool stochastic, scaled;
};

/* "fp8x2" is fp8, and 2 of them. */
static std::string take_count(const std::string &part, int *n) {
	size_t x = part.find('x');
	if (x == std::string::npos)
		return part;
	*n = std::stoi(part.substr(x + 1));
	return part.substr(0, x);
}

static Conversion parse(std::string name) {
	Conversion c;
	int unused;
	name = name.substr(strlen("__amd_cvt_"));
	std::string from = name.substr(0, name.find("_to_")),
		    to = name.substr(name.find("_to_") + 4);
	c.stochastic = to.find("_sr") != std::string::npos;
	c.scaled = to.find("_scale") != std::string::npos;
	c.to = take_count(to.substr(0, to.find('_')), &unused);
	c.from = take_count(from.substr(0, from.find('_')), &c.n);
	if (from.find('_') != std::string::npos) /* two operands */
		c.n *= 2;
	return c;
}

/* ---- operands ---- */

static std::mt19937_64 bits(7);
static bool second;           /* of two interpretations, E4M3 and E5M2 or E2M3 and E3M2 */
static int scale, scale_mode; /* 0: 1; 1: near 1; 2: all of E8M0 */

static void random_scale() {
	int near = (int)(bits() % 21) - 10, any = (int)(bits() % 255) - 127;
	scale = scale_mode == 0 ? 0 : scale_mode == 1 ? near : any;
}

/* Elements of any bits, and more of those whose values the small formats have. */
template <typename T> static void random_bytes(T *value, const std::string &format) {
	unsigned char bytes[sizeof(T)];
	for (auto &b : bytes)
		b = bits();
	Format f = format_of(format, second);
	int n = f.bits() > 8 ? (int)sizeof bytes * 8 / f.bits() : 0;
	for (int i = 0; i < n; i++) {
		uint32_t e = (uint32_t)(f.bias + (int)(bits() % 20) - 12) << f.mantissa, code = 0;
		memcpy(&code, bytes + i * f.bits() / 8, f.bits() / 8);
		code &= f.bits() == 16 ? 0x807Fu | (1u << f.mantissa) - 8 : 0x807E0000u;
		if (bits() % 4) {
			code = (code & ~(((1u << f.exponent) - 1) << f.mantissa)) | e;
			memcpy(bytes + i * f.bits() / 8, &code, f.bits() / 8);
		}
	}
	memcpy((void *)value, bytes, sizeof bytes);
}

template <typename T> static T random_operand(const Conversion &c) {
	typename std::remove_cv<T>::type value;
	if constexpr (std::is_enum<T>::value)
		value = (T)(second && !std::is_same<T, __amd_fp4_interpretation_t>::value);
	else if constexpr (std::is_same<T, __amd_scale_t>::value)
		value = scale;
	else
		random_bytes(&value, c.from);
	return value;
}

/* ---- running ---- */

template <typename... T> struct Operands;
template <typename A> struct Operands<A> {
	A a;
	template <auto F> __device__ auto call() const { return F(a); }
};
template <typename A, typename B> struct Operands<A, B> {
	A a;
	B b;
	template <auto F> __device__ auto call() const { return F(a, b); }
};
template <typename A, typename B, typename C> struct Operands<A, B, C> {
	A a;
	B b;
	C c;
	template <auto F> __device__ auto call() const { return F(a, b, c); }
};
template <typename A, typename B, typename C, typename D> struct Operands<A, B, C, D> {
	A a;
	B b;
	C c;
	D d;
	template <auto F> __device__ auto call() const { return F(a, b, c, d); }
};

template <auto F, typename R, typename P> __global__ void run(const P *in, R *out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i].template call<F>();
}

static uint32_t code_at(const void *bytes, int i, int n) {
	const unsigned char *p = (const unsigned char *)bytes;
	uint32_t code = 0;
	for (int b = 0; b < n; b++)
		code |= (uint32_t)(p[(i * n + b) / 8] >> (i * n + b) % 8 & 1) << b;
	return code;
}

static bool same(double a, double b) {
	return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b);
}

/* Prints the first wrong element. FP6 and FP4 have no NaN: what they have for one is not checked.
 */
static bool is_right(const char *name, const Conversion &c, const void *in, const void *out,
                     bool second, int scale) {
	Format from = format_of(c.from, second), to = format_of(c.to, second);
	for (int i = 0; i < c.n; i++) {
		double x = decode(code_at(in, i, from.bits()), from),
		       got = decode(code_at(out, i, to.bits()), to);
		double scaled = ldexp(x, !c.scaled ? 0 : to.bits() <= 8 ? -scale : scale);
		double one = rounded(scaled, to, c.stochastic ? SMALLER : NEAREST_EVEN);
		double other = c.stochastic ? rounded(scaled, to, LARGER) : one;
		if ((x != x && to.specials == FINITE) || same(got, one) || same(got, other))
			continue;
		printf("%s: element %d, %a, scale 2^%d, interpretation %d: %a, not %a\n", name, i,
		       x, scale, second, got, one);
		return false;
	}
	return true;
}

static void must(hipError_t e) {
	if (e != hipSuccess) {
		printf("error: %s\n", hipGetErrorString(e));
		exit(2);
	}
}

template <auto F, typename R, typename... A> static void check(const char *name, R (*)(A...)) {
	using P = Operands<std::remove_cv_t<A>...>;
	enum { N = 512 };
	static P host[N], *in;
	static R results[N], *out;
	bool seconds[N];
	int scales[N];
	Conversion c = parse(name);
	must(hipMalloc((void **)&in, sizeof host));
	must(hipMalloc((void **)&out, sizeof results));
	memset((void *)host, 0, sizeof host);
	for (scale_mode = 0; scale_mode < (c.scaled ? 3 : 1); scale_mode++) {
		for (int i = 0; i < N; i++) {
			second = seconds[i] = bits() & 1;
			random_scale();
			scales[i] = scale;
			host[i] = P{ random_operand<A>(c)... };
		}
		must(hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice));
		run<F, R, P><<<N / 64, 64>>>(in, out);
		must(hipMemcpy(results, out, sizeof results, hipMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			if (!is_right(name, c, &host[i], &results[i], seconds[i], scales[i]))
				return;
	}
	printf("%s: right\n", name);
}

#define CHECK(f) check<f>(#f, f);
int main() {
#include NAMES
}
