/* Data of any type by the regime, for references. */
#include "case_file.h"

#include <math.h>

enum { SIZE = 64 };

static void fill(const char *type, mx_regime regime, struct mx_case **c, struct mx_data *data) {
	char to[120];
	struct mx_plan p;
	struct mx_error err;
	snprintf(to, sizeof to, "role: none, type: %s, rows: 64, cols: 64, data: regime", type);
	*c = load_good("role: none,    type: bf16, rows: 3, cols: 5, ld: 16", to);
	if (mx_plan_make(*c, 32, 32, 32, regime, &p, &err) || mx_data_make(&p, 1, data, &err)) {
		fprintf(stderr, "typed_test: %s\n", err.text);
		exit(2);
	}
}

static double value(const char *type, const uint8_t *at, size_t i) {
	mx_f32 bits = { 0 };
	float f;
	if (!strcmp(type, "i8"))
		return (int8_t)at[i];
	if (!strcmp(type, "f32"))
		memcpy(&bits, at + 4 * i, 4);
	else if (!strcmp(type, "bf16"))
		bits.v = (uint32_t)(at[2 * i] | at[2 * i + 1] << 8) << 16;
	else {
		mx_format format = !strcmp(type, "e4m3")   ? MX_E4M3
		                   : !strcmp(type, "e5m2") ? MX_E5M2
		                                           : MX_E2M1;
		bits = mx_elem_to_f32(format, mx_elem_get(format, at, i));
	}
	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

/* What a regime gives for a type. */
struct found {
	bool integers, finite, small, zero, minus_zero, subnormal, both_signs;
};

static struct found look(const char *type, mx_regime regime, double least_normal) {
	struct found x = { true, true, true, false, false, false, false };
	struct mx_case *c;
	struct mx_data data;
	bool plus = false, minus = false;
	fill(type, regime, &c, &data);
	for (size_t i = 0; i < SIZE * SIZE; i++) {
		double v = value(type, data.bytes[5], i);
		x.integers &= v == rint(v);
		x.finite &= isfinite(v);
		x.small &= fabs(v) <= 8;
		x.zero |= v == 0;
		x.minus_zero |= v == 0 && signbit(v);
		x.subnormal |= v != 0 && fabs(v) < least_normal;
		plus |= v > 0;
		minus |= v < 0;
	}
	x.both_signs = plus && minus;
	mx_data_free(&data);
	mx_case_free(c);
	return x;
}

int main(void) {
	static const struct {
		const char *type;
		double least_normal;
	} t[] = {
		{ "f32", 0x1p-126 }, { "bf16", 0x1p-126 }, { "e4m3", 0x1p-6 }, { "e5m2", 0x1p-14 }
	};
	make_folder();
	for (size_t i = 0; i < COUNT(t); i++) {
		struct found e = look(t[i].type, MX_REGIME_EXACT, t[i].least_normal);
		ok(e.integers && e.small && e.both_signs, "exact %s: integers from -8 to 8",
		   t[i].type);
		struct found g = look(t[i].type, MX_REGIME_GENERAL, t[i].least_normal);
		ok(g.finite && g.both_signs && !g.subnormal && !g.integers,
		   "general %s: normal numbers of both signs", t[i].type);
		struct found s = look(t[i].type, MX_REGIME_SPECIAL, t[i].least_normal);
		ok(s.finite && s.zero && s.minus_zero && s.subnormal,
		   "special %s: zeros of both signs and subnormals, nothing infinite", t[i].type);
	}
	struct found four = look("e2m1", MX_REGIME_EXACT, 1), ints = look("i8", MX_REGIME_EXACT, 0);
	ok(!four.integers && four.small && four.minus_zero, "exact e2m1: any code");
	ok(ints.integers && !ints.small && ints.both_signs, "exact i8: any integer");
	remove_folder();
	return done_testing();
}
