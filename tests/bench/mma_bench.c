/* The rate of scaled MFMAs on a core, with operands and results in register layout. */
#include "../../ref/mxref.h"
#include "bench.h"

#include <string.h>

struct job {
	struct mx_mma_args args;
	mx_status (*run)(const struct mx_mma_args *);
	unsigned times;
	uint32_t a[8][MX_LANES], b[8][MX_LANES], c[16][MX_LANES], d[16][MX_LANES];
	uint8_t scale_a[MX_LANES], scale_b[MX_LANES];
};

static void instructions(void *arg) {
	struct job *j = arg;
	for (unsigned i = 0; i < j->times; i++)
		j->run(&j->args);
}

static uint32_t next(void) {
	static uint32_t s = 1;
	s ^= s << 13, s ^= s >> 17, s ^= s << 5;
	return s;
}

/* All codes, but for FP8 only the lower half of exponents, without NaN and infinity; scales 2^-4 to
 * 2^3. */
static uint32_t operand(mx_format f) {
	return mx_format_info(f)->bits == 8 ? next() & 0xBFBFBFBF : next();
}

static void fill(struct job *j, mx_format fa, mx_format fb) {
	for (unsigned lane = 0; lane < MX_LANES; lane++) {
		for (unsigned r = 0; r < 8; r++) {
			j->a[r][lane] = operand(fa);
			j->b[r][lane] = operand(fb);
		}
		for (unsigned r = 0; r < 16; r++)
			j->c[r][lane] = next() % 0x08000000 + 0x3C000000;
		j->scale_a[lane] = 123 + next() % 8;
		j->scale_b[lane] = 123 + next() % 8;
	}
}

static void report(const mx_profile *p, mx_shape s, mx_format fa, mx_format fb, bool plain) {
	static struct job j;
	char name[80];
	double macs = (double)mx_shape_mn(s) * mx_shape_mn(s) * mx_shape_k(s);
	fill(&j, fa, fb);
	j.run = plain ? mx_mma_scaled_plain : mx_mma_scaled;
	j.times = plain ? 1 : 100;
	j.args = (struct mx_mma_args){
		p,
		s,
		fa,
		fb,
		(const uint32_t(*)[MX_LANES])j.a,
		(const uint32_t(*)[MX_LANES])j.b,
		(const uint32_t(*)[MX_LANES])j.c,
		j.scale_a,
		j.scale_b,
		j.d,
	};
	snprintf(name, sizeof name, "mfma/%s/%s/%sx%s%s", p->name,
	         s == MX_16X16X128 ? "16x16x128" : "32x32x64", mx_format_info(fa)->name,
	         mx_format_info(fb)->name, plain ? "/plain" : "");
	bench(name, "GMAC/s", macs * j.times * 1e-9, instructions, &j);
}

int main(void) {
	static const char *const profiles[] = { "block32", "fused", "fma32", "cdna3" };
	static const mx_format pairs[][2] = { { MX_E2M1, MX_E2M1 }, { MX_E4M3, MX_E4M3 },
		                              { MX_E4M3, MX_E2M1 }, { MX_E5M2, MX_E4M3 },
		                              { MX_E5M2, MX_E5M2 }, { MX_E2M3, MX_E3M2 } };
	for (unsigned p = 0; p < 4; p++) {
		const mx_profile *profile = mx_profile_by_name(profiles[p]);
		for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
			for (int s = 0; s < 2; s++)
				report(profile, s, pairs[i][0], pairs[i][1], false);
		report(profile, MX_16X16X128, MX_E2M1, MX_E2M1, true);
		report(profile, MX_16X16X128, MX_E4M3, MX_E4M3, true);
	}
	return 0;
}
