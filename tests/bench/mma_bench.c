/* The rates of MFMAs on a core, with operands and results in register layout, and the rate of f64
 * FMAs, which limits the methods that compute in doubles. */
#include "../../ref/mxref.h"
#include "../../ref/num/cpu.h"
#include "bench.h"

#include <string.h>

/* ---- f64 FMA ---- */

enum { CHAINS = 16, STEPS = 100000 };

/* Independent chains of FMAs on vectors of the processor's widest kind. */
#define FMA_CHAINS(name, lanes, fma, target)                                                       \
	target static double name(void) {                                                          \
		typedef double doubles __attribute__((vector_size(8 * (lanes))));                  \
		doubles sum[CHAINS], x = (doubles){ 0 } + 0.5, y = x;                              \
		for (unsigned j = 0; j < CHAINS; j++)                                              \
			sum[j] = (doubles){ 0 } + j;                                               \
		for (unsigned i = 0; i < STEPS; i++) {                                             \
			__asm__("" : "+v"(x), "+v"(y));                                            \
			_Pragma("GCC unroll 16") for (unsigned j = 0; j < CHAINS; j++) sum[j] =    \
				(doubles)fma(x, y, sum[j]);                                        \
		}                                                                                  \
		for (unsigned j = 1; j < CHAINS; j++)                                              \
			sum[0] += sum[j];                                                          \
		return sum[0][0] * (lanes);                                                        \
	}
#if defined(__x86_64__)
#include <immintrin.h>
FMA_CHAINS(chains_512, 8, _mm512_fmadd_pd, __attribute__((target("avx512f"))))
FMA_CHAINS(chains_256, 4, _mm256_fmadd_pd, __attribute__((target("avx2,fma"))))

static double (*chains(unsigned *lanes))(void) {
	*lanes = mx_cpu_has(MX_CPU_V4) ? 8 : mx_cpu_has(MX_CPU_V3) ? 4 : 0;
	return *lanes == 8 ? chains_512 : *lanes ? chains_256 : NULL;
}
#else
static double (*chains(unsigned *lanes))(void) {
	*lanes = 0;
	return NULL;
}
#endif

static void run_chains(void *arg) {
	volatile double used;
	double (**f)(void) = arg;
	used = (*f)();
	(void)used;
}

/* The limit in GMAC/s; 0: unknown. */
static double fma_limit(void) {
	unsigned lanes;
	double (*f)(void) = chains(&lanes);
	return f ? bench("fma/f64", "GMAC/s", 1e-9 * lanes * CHAINS * STEPS, run_chains, &f) : 0;
}

static void share(const char *name, double rate, double limit) {
	if (limit)
		printf("%s/of fma/f64,%%,%.3g,0\n", name, 100 * rate / limit);
}

/* A rate of refused instructions would be that of nothing. */
static void check(mx_status status) {
	if (status) {
		fprintf(stderr, "mma_bench: %s\n", mx_strerror(status));
		exit(1);
	}
}

/* ---- scaled ---- */

struct job {
	struct mx_mma_args args;
	mx_status (*run)(const struct mx_mma_args *);
	unsigned times;
	uint32_t a[2][8][MX_LANES], b[2][8][MX_LANES], c[16][MX_LANES], d[16][MX_LANES];
	uint8_t scale_a[MX_LANES], scale_b[MX_LANES];
};

/* As a kernel with 2 x 2 fragments: A changes after two instructions, B after each. */
static void instructions(void *arg) {
	struct job *j = arg;
	for (unsigned i = 0; i < j->times; i++) {
		j->args.a = (const uint32_t(*)[MX_LANES])j->a[i >> 1 & 1];
		j->args.b = (const uint32_t(*)[MX_LANES])j->b[i & 1];
		check(j->run(&j->args));
	}
}

static uint32_t next(void) {
	static uint32_t s = 1;
	s ^= s << 13, s ^= s >> 17, s ^= s << 5;
	return s;
}

/* A sum of four uniform numbers from -2 to 2, about as a normal deviate. */
static float deviate(void) {
	int sum = 0;
	for (unsigned i = 0; i < 4; i++)
		sum += (int)(next() % 65536) - 32768;
	return (float)sum / 65536;
}

/* All codes, but for FP8 only the lower half of exponents, without NaN and infinity; scales 2^-4 to
 * 2^3. */
static uint32_t operand(mx_format f) {
	return mx_format_info(f)->bits == 8 ? next() & 0xBFBFBFBF : next();
}

/* Four deviates in FP8, the largest about as large as a scale of floor makes them. */
static uint32_t deviates(mx_format f) {
	uint32_t codes = 0;
	for (unsigned at = 0; at < 32; at += 8) {
		float x = deviate() * (f == MX_E4M3 ? 0x1p8f : 0x1p15f);
		mx_f32 bits;
		memcpy(&bits, &x, sizeof x);
		codes |= (uint32_t)mx_elem_from_f32(f, bits).v << at;
	}
	return codes;
}

static void fill(struct job *j, mx_format fa, mx_format fb, uint32_t (*codes)(mx_format)) {
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		for (unsigned r = 0; r < 16; r++) {
			j->a[r / 8][r % 8][lane] = codes(fa);
			j->b[r / 8][r % 8][lane] = codes(fb);
		}
		for (unsigned r = 0; r < 16; r++)
			j->c[r][lane] = next() % 0x08000000 + 0x3C000000;
		j->scale_a[lane] = 123 + next() % 8;
		j->scale_b[lane] = 123 + next() % 8;
	}
}

/* The ways that a job runs. */
typedef enum { FAST, FAST_DEVIATES, PLAIN } way;

static double report(const mx_profile *p, mx_shape s, mx_format fa, mx_format fb, way w,
                     double limit) {
	static const char *const names[] = { "", "/deviates", "/plain" };
	bool plain = w == PLAIN;
	static struct job j;
	char name[80];
	double macs = (double)mx_shape_mn(s) * mx_shape_mn(s) * mx_shape_k(s);
	fill(&j, fa, fb, w == FAST_DEVIATES ? deviates : operand);
	j.run = plain ? mx_mma_scaled_plain : mx_mma_scaled;
	j.times = plain ? 1 : 100;
	j.args = (struct mx_mma_args){
		p,         s,         fa,  fb, NULL, NULL, (const uint32_t(*)[MX_LANES])j.c,
		j.scale_a, j.scale_b, j.d,
	};
	snprintf(name, sizeof name, "mfma/%s/%s/%sx%s%s", p->name,
	         s == MX_16X16X128 ? "16x16x128" : "32x32x64", mx_format_info(fa)->name,
	         mx_format_info(fb)->name, names[w]);
	double rate = bench(name, "GMAC/s", macs * j.times * 1e-9, instructions, &j);
	if (!plain)
		share(name, rate, limit);
	return rate;
}

/* ---- dense ---- */

struct dense_job {
	struct mx_dense_args args;
	uint32_t a[4][MX_LANES], b[4][MX_LANES], c[32][MX_LANES], d[32][MX_LANES];
};

static void dense_instructions(void *arg) {
	struct dense_job *j = arg;
	for (unsigned i = 0; i < 100; i++)
		check(mx_mma_dense(&j->args));
}

static uint32_t random_item(mx_type t) {
	float x = deviate();
	mx_f32 bits;
	memcpy(&bits, &x, sizeof x);
	switch (t) {
	case MX_T_F32: return bits.v;
	case MX_T_F16: return mx_f16_from_f32(bits).v;
	case MX_T_BF16: return mx_bf16_from_f32(bits).v;
	default: return next() & (t == MX_T_I8 ? 0xff : 0xbf);
	}
}

static void fill_dense(struct dense_job *j, const struct mx_dense *op) {
	unsigned vgprs = mx_dense_operand_vgprs(op);
	unsigned bits = 32 * vgprs / mx_dense_operand_items(op);
	memset(j, 0, sizeof *j);
	for (unsigned r = 0; r < vgprs; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			for (unsigned at = 0; at < 32; at += bits) {
				j->a[r][lane] |= random_item(op->a) << at;
				j->b[r][lane] |= random_item(op->b) << at;
			}
	for (unsigned r = 0; r < 32; r++)
		for (unsigned lane = 0; lane < MX_LANES; lane++)
			j->c[r][lane] = random_item(MX_T_F32);
}

/* The profile is what the device has of `family` for these types. */
static void report_dense(const mx_profile *family, const struct mx_dense *op, double limit) {
	const mx_profile *p = mx_dense_profile(op, family);
	static struct dense_job j;
	char name[80];
	double macs = (double)op->m * op->m * op->k * op->blocks;
	fill_dense(&j, op);
	j.args = (struct mx_dense_args){ .op = op,
		                         .profile = p,
		                         .a = (const uint32_t(*)[MX_LANES])j.a,
		                         .b = (const uint32_t(*)[MX_LANES])j.b,
		                         .c = (const uint32_t(*)[MX_LANES])j.c,
		                         .d = j.d };
	snprintf(name, sizeof name, "mfma/%s/%s", p->name, op->name + strlen("v_mfma_"));
	share(name, bench(name, "GMAC/s", macs * 1e-7, dense_instructions, &j), limit);
}

/* ---- WMMA ---- */

struct wmma_job {
	struct mx_wmma_args args;
	uint32_t ab[2][2][16][MX_LANES], scales[2][2][MX_LANES], index[2][MX_LANES];
	uint32_t c[8][MX_LANES], d[8][MX_LANES];
};

/* Fragments as those of the scaled MFMAs. */
static void wmma_instructions(void *arg) {
	struct wmma_job *j = arg;
	for (unsigned i = 0; i < 100; i++) {
		j->args.ab[0].regs = (const uint32_t(*)[MX_LANES])j->ab[0][i >> 1 & 1];
		j->args.ab[1].regs = (const uint32_t(*)[MX_LANES])j->ab[1][i & 1];
		check(mx_mma_wmma(&j->args));
	}
}

static uint32_t random_register(mx_type t) {
	uint32_t x = 0;
	if (t == MX_T_F8F6F4)
		return operand(MX_E4M3);
	for (unsigned at = 0, bits = t == MX_T_F32                     ? 32
	                             : t == MX_T_F16 || t == MX_T_BF16 ? 16
	                                                               : 8;
	     at < 32; at += bits)
		x |= random_item(t) << at;
	return x;
}

/* Scales 2^-4 to 2^3, those of E5M3 and E4M3 with all fractions. */
static uint32_t random_scales(mx_scale_format f) {
	static const unsigned first[] = { 123, 0x58, 0x18 };
	uint32_t x = 0;
	for (unsigned i = 0; i < 4; i++)
		x |= (first[f] + next() % (f ? 64 : 8)) << 8 * i;
	return x;
}

static void fill_wmma(struct wmma_job *j, mx_scale_format f) {
	for (unsigned s = 0; s < 2; s++) {
		struct mx_wmma_operand *o = &j->args.ab[s];
		o->scale_format = f;
		o->scales = (const uint32_t(*)[MX_LANES])j->scales[s];
		for (unsigned lane = 0; lane < MX_LANES; lane++) {
			for (unsigned r = 0; r < 32; r++)
				j->ab[s][r / 16][r % 16][lane] = random_register(j->args.op->ab[s]);
			for (unsigned r = 0; r < 2; r++)
				j->scales[s][r][lane] = random_scales(f);
		}
	}
	memset(j->index, 0x44, sizeof j->index); /* the first two of four */
	for (unsigned lane = 0; lane < MX_LANES; lane++)
		for (unsigned r = 0; r < 8; r++)
			j->c[r][lane] = j->args.op->c == MX_T_F16 ? random_register(MX_T_F16)
			                                          : random_item(MX_T_F32);
}

/* With mfma, the cost of a product beside that of an MFMA with this rate. */
static void report_wmma(const mx_profile *family, const struct mx_wmma *op, mx_scale_format f,
                        double mfma) {
	static const char *const scales[] = { "E8M0", "E5M3", "E4M3" };
	static struct wmma_job j;
	char name[80];
	j.args = (struct mx_wmma_args){
		.op = op,
		.profile = mx_wmma_profile(op, family),
		.c = (const uint32_t(*)[MX_LANES])j.c,
		.d = j.d,
		.index = op->sparse ? (const uint32_t(*)[MX_LANES])j.index : NULL,
	};
	fill_wmma(&j, f);
	snprintf(name, sizeof name, "%s/%s/%s%s%s", op->sparse ? "swmmac" : "wmma",
	         j.args.profile->name, op->name + strlen(op->sparse ? "v_swmmac_" : "v_wmma_"),
	         op->block ? "/" : "", op->block ? scales[f] : "");
	double products = op->m * 16. * op->k / (op->sparse ? 2 : 1);
	double rate = bench(name, "GMAC/s", products * 1e-7, wmma_instructions, &j);
	if (mfma)
		printf("%s/cost of mfma,x,%.3g,0\n", name, mfma / rate);
}

static void report_wmmas(const mx_profile *family, double mfma) {
	const struct mx_wmma *op;
	for (size_t i = 0; (op = mx_wmma_at(i)); i++)
		if (op->ab[0] != MX_T_FP4)
			for (int f = 0; f < (op->block ? MX_SCALE_FORMATS : 1); f++)
				report_wmma(family, op, f, op->block ? mfma : 0);
}

int main(void) {
	const struct mx_dense *op;
	double limit = fma_limit();
	for (size_t i = 0; (op = mx_dense_at(i)); i++)
		if (op->a != MX_T_F64)
			report_dense(mx_profile_by_name("block32"), op, limit);
	for (size_t i = 0; (op = mx_dense_at(i)); i++)
		if (op->d == MX_T_F32 && op->a != MX_T_F32)
			report_dense(mx_profile_by_name("cdna3"), op, limit);
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	static const mx_format pairs[][2] = { { MX_E2M1, MX_E2M1 }, { MX_E4M3, MX_E4M3 },
		                              { MX_E4M3, MX_E2M1 }, { MX_E5M2, MX_E4M3 },
		                              { MX_E5M2, MX_E5M2 }, { MX_E2M3, MX_E3M2 } };
	for (unsigned p = 0; p < 4; p++) {
		double rate[sizeof pairs / sizeof *pairs][2];
		const mx_profile *profile = mx_profile_by_name(profiles[p]);
		for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
			for (int s = 0; s < 2; s++)
				rate[i][s] =
					report(profile, s, pairs[i][0], pairs[i][1], FAST, limit);
		if (!p)
			report_wmmas(profile, rate[1][MX_16X16X128]);
		report(profile, MX_16X16X128, MX_E4M3, MX_E4M3, FAST_DEVIATES, limit);
		report(profile, MX_16X16X128, MX_E5M2, MX_E4M3, FAST_DEVIATES, limit);
		report(profile, MX_16X16X128, MX_E5M2, MX_E5M2, FAST_DEVIATES, limit);
		report(profile, MX_16X16X128, MX_E2M1, MX_E2M1, PLAIN, limit);
		report(profile, MX_16X16X128, MX_E4M3, MX_E4M3, PLAIN, limit);
	}
	return 0;
}
