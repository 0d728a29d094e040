/* Expressions: their values, and the messages for wrong ones. */
#include "../../cases/case.h"
#include "../tap.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const struct mx_name names[] = { { "M", 100 }, { "K_2", 7 }, { "min", 3 } };

static void expressions_have_their_values(void) {
	static const struct {
		const char *text;
		int64_t value;
	} t[] = {
		{ "1 + 2 * 3", 7 },
		{ "(1 + 2) * 3", 9 },
		{ "10 - 4 - 3", 3 },
		{ "100 / 7 / 2", 7 },
		{ "-7 / 2", -3 },
		{ "-7 % 3", -1 },
		{ "- -M", 100 },
		{ "2 - -2", 4 },
		{ "0x1F + 0XA", 41 },
		{ "010", 10 },
		{ "M*K_2", 700 },
		{ "min + min(2, M)", 5 },
		{ "max(-1, -2)", -1 },
		{ "ceildiv(M, 32)", 4 },
		{ "ceildiv(96, 32)", 3 },
		{ "ceildiv(-33, 32)", -1 },
		{ "roundup(M, 32)", 128 },
		{ "roundup(ceildiv(M, 3), min(8, K_2))", 35 },
		{ " \t9223372036854775807 ", INT64_MAX },
		{ "-9223372036854775807 - 1", INT64_MIN },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_error err = { "" };
		int64_t v = 12345;
		int rc = mx_expr_eval(t[i].text, names, COUNT(names), &v, &err);
		if (!ok(!rc && v == t[i].value, "'%s' is %" PRId64, t[i].text, t[i].value))
			diag("status %d, value %" PRId64 ", %s", rc, v, err.text);
	}
}

static void real_expressions_have_their_values(void) {
	static const struct {
		const char *text;
		double value;
	} t[] = {
		{ "M / 8", 12.5 },
		{ "1 / 2 / K_2", 0.5 / 7 },
		{ "-1.5e-3 * M", -0.15 },
		{ "0x1.8p-1 + .25", 1 },
		{ "1 / sqrt(M)", 0.1 },
		{ "log2(exp(1)) / sqrt(64)", 1.4426950408889634 / 8 },
		{ "max(0.5, min(M, 0.25))", 0.5 },
		{ "ceildiv(M, 32) + roundup(0.3, 0.25)", 4.5 },
		{ "7.5 % 2", 1.5 },
		{ "9223372036854775807 * 4", 0x1p65 },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_error err = { "" };
		double v = 12345;
		int rc = mx_expr_real(t[i].text, names, COUNT(names), &v, &err);
		if (!ok(!rc && fabs(v - t[i].value) <= 1e-15 * fabs(t[i].value), "'%s' is %g",
		        t[i].text, t[i].value))
			diag("status %d, value %.17g, %s", rc, v, err.text);
	}
}

static void wrong_real_expressions_say_why(void) {
	static const struct {
		const char *text, *why;
	} t[] = {
		{ "M / 0", "division by zero in 'M / 0'" },
		{ "1 % 0.0", "division by zero in '1 % 0.0'" },
		{ "sqrt(-1)", "'sqrt(-1)' is not a finite number" },
		{ "1e308 * 10", "'1e308 * 10' is not a finite number" },
		{ "sqrt(1, 2)", "unexpected ',' at character 7 of 'sqrt(1, 2)'" },
		{ "inf", "unknown name 'inf'" },
		{ "1.5.", "unexpected '.' at character 4 of '1.5.'" },
		{ ".", "unexpected '.' at character 1 of '.'" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_error err = { "" };
		double v = 12345;
		int rc = mx_expr_real(t[i].text, names, COUNT(names), &v, &err);
		if (!ok(rc == -1 && v == 12345 && !strcmp(err.text, t[i].why), "'%s' fails: %s",
		        t[i].text, t[i].why))
			diag("status %d, value %g, %s", rc, v, err.text);
	}
}

static void wrong_expressions_say_why(void) {
	static const struct {
		const char *text, *why;
	} t[] = {
		{ "M + KQ", "unknown name 'KQ'" },
		{ "m", "unknown name 'm'" },
		{ "mid(1, 2)", "unknown function 'mid'" },
		{ "sqrt(4)", "unknown function 'sqrt'" },
		{ "max (1)", "unexpected ')' at character 7 of 'max (1)'" },
		{ "max(1, 2, 3)", "unexpected ',' at character 9 of 'max(1, 2, 3)'" },
		{ "", "'' ends too early" },
		{ "1 +", "'1 +' ends too early" },
		{ "(1", "'(1' ends too early" },
		{ "1 2", "unexpected '2' at character 3 of '1 2'" },
		{ "0x", "'0x' ends too early" },
		{ "12ab", "unexpected 'a' at character 3 of '12ab'" },
		{ "+1", "unexpected '+' at character 1 of '+1'" },
		{ "1.5", "unexpected '.' at character 2 of '1.5'" },
		{ "1 / 0", "division by zero in '1 / 0'" },
		{ "1 % (M - 100)", "division by zero in '1 % (M - 100)'" },
		{ "ceildiv(1, 0)", "division by zero in 'ceildiv(1, 0)'" },
		{ "roundup(1, 0)", "division by zero in 'roundup(1, 0)'" },
		{ "9223372036854775808", "overflow in '9223372036854775808'" },
		{ "0x8000000000000000", "overflow in '0x8000000000000000'" },
		{ "9223372036854775807 + 1", "overflow in '9223372036854775807 + 1'" },
		{ "-9223372036854775807 - 2", "overflow in '-9223372036854775807 - 2'" },
		{ "4294967296 * 2147483648", "overflow in '4294967296 * 2147483648'" },
		{ "(-9223372036854775807 - 1) / -1",
		  "overflow in '(-9223372036854775807 - 1) / -1'" },
		{ "(-9223372036854775807 - 1) % -1",
		  "overflow in '(-9223372036854775807 - 1) % -1'" },
		{ "-(-9223372036854775807 - 1)", "overflow in '-(-9223372036854775807 - 1)'" },
		{ "roundup(9223372036854775807, 2)",
		  "overflow in 'roundup(9223372036854775807, 2)'" },
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct mx_error err = { "" };
		int64_t v = 12345;
		int rc = mx_expr_eval(t[i].text, names, COUNT(names), &v, &err);
		if (!ok(rc == -1 && v == 12345 && !strcmp(err.text, t[i].why), "'%s' fails: %s",
		        t[i].text, t[i].why))
			diag("status %d, value %" PRId64 ", %s", rc, v, err.text);
	}
}

/* n of `open`, 1, n of `close` */
static int nested(char open, const char *close, int n, struct mx_error *err) {
	char text[200002];
	int64_t v;
	memset(text, open, n);
	text[n] = '1';
	memset(text + n + 1, *close, *close ? n : 0);
	text[n + 1 + (*close ? n : 0)] = 0;
	return mx_expr_eval(text, NULL, 0, &v, err);
}

static void nesting_is_limited(void) {
	struct mx_error err;
	ok(nested('(', ")", 60, &err) == 0, "60 parentheses nest");
	ok(nested('-', "", 60, &err) == 0, "60 minus signs nest");
	ok(nested('(', ")", 100000, &err) == -1 && strstr(err.text, "nested more than 64 deep"),
	   "100000 parentheses are refused");
	ok(nested('-', "", 100000, &err) == -1 && strstr(err.text, "nested more than 64 deep"),
	   "100000 minus signs are refused");
}

int main(void) {
	expressions_have_their_values();
	wrong_expressions_say_why();
	real_expressions_have_their_values();
	wrong_real_expressions_say_why();
	nesting_is_limited();
	return done_testing();
}
