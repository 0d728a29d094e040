/* Expressions, of integers or of real numbers: recursive descent, one function for each grammar
 * rule.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/" | "%") unary }
 *   unary   = "-" unary | "(" sum ")" | literal | name | function "(" sum [ "," sum ] ")" */
#include "case.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; /* of "-" and parentheses: bounds the depth of the stack */

/* Of an integer expression, or of a real one; the other member is 0. */
struct value {
	int64_t i;
	double r;
};

struct parser {
	const char *text, *at;
	const struct mx_name *names;
	size_t n_names;
	bool real;
	unsigned depth;
	struct mx_error *err;
};

static int sum(struct parser *p, struct value *v);
static int nested(struct parser *p, struct value *v);

static int overflow(const struct parser *p) {
	return mx_fail(p->err, "overflow in '%s'", p->text);
}

static int unexpected(const struct parser *p) {
	if (!*p->at)
		return mx_fail(p->err, "'%s' ends too early", p->text);
	return mx_fail(p->err, "unexpected '%c' at character %td of '%s'", *p->at,
	               p->at - p->text + 1, p->text);
}

/* Skips blanks, even if c does not follow. */
static bool accept(struct parser *p, char c) {
	while (isspace((unsigned char)*p->at))
		p->at++;
	if (*p->at != c)
		return false;
	p->at++;
	return true;
}

static int expect(struct parser *p, char c) {
	return accept(p, c) ? 0 : unexpected(p);
}

/* ---- operators: a and b to v ---- */

typedef int operation(const struct parser *p, struct value a, struct value b, struct value *v);

static int add(const struct parser *p, struct value a, struct value b, struct value *v) {
	v->r = a.r + b.r;
	return __builtin_add_overflow(a.i, b.i, &v->i) ? overflow(p) : 0;
}

static int subtract(const struct parser *p, struct value a, struct value b, struct value *v) {
	v->r = a.r - b.r;
	return __builtin_sub_overflow(a.i, b.i, &v->i) ? overflow(p) : 0;
}

static int multiply(const struct parser *p, struct value a, struct value b, struct value *v) {
	v->r = a.r * b.r;
	return __builtin_mul_overflow(a.i, b.i, &v->i) ? overflow(p) : 0;
}

/* INT64_MIN / -1 and INT64_MIN % -1 trap on x86. */
static int divisible(const struct parser *p, struct value a, struct value b) {
	if (p->real ? b.r == 0 : b.i == 0)
		return mx_fail(p->err, "division by zero in '%s'", p->text);
	return a.i == INT64_MIN && b.i == -1 ? overflow(p) : 0;
}

static int quotient(const struct parser *p, struct value a, struct value b, struct value *v) {
	if (divisible(p, a, b))
		return -1;
	*v = p->real ? (struct value){ .r = a.r / b.r } : (struct value){ .i = a.i / b.i };
	return 0;
}

static int remainder_of(const struct parser *p, struct value a, struct value b, struct value *v) {
	if (divisible(p, a, b))
		return -1;
	*v = p->real ? (struct value){ .r = fmod(a.r, b.r) } : (struct value){ .i = a.i % b.i };
	return 0;
}

static int ceildiv(const struct parser *p, struct value a, struct value b, struct value *v) {
	if (divisible(p, a, b))
		return -1;
	*v = p->real ? (struct value){ .r = ceil(a.r / b.r) }
	             : (struct value){ .i = a.i / b.i + (a.i % b.i && (a.i < 0) == (b.i < 0)) };
	return 0;
}

static int roundup(const struct parser *p, struct value a, struct value b, struct value *v) {
	struct value n;
	if (ceildiv(p, a, b, &n))
		return -1;
	return multiply(p, n, b, v);
}

static bool is_less(const struct parser *p, struct value a, struct value b) {
	return p->real ? a.r < b.r : a.i < b.i;
}

static int smaller(const struct parser *p, struct value a, struct value b, struct value *v) {
	*v = is_less(p, a, b) ? a : b;
	return 0;
}

static int larger(const struct parser *p, struct value a, struct value b, struct value *v) {
	*v = is_less(p, a, b) ? b : a;
	return 0;
}

static const struct {
	const char *name;
	operation *call;      /* of two arguments; or */
	double (*of)(double); /* of one, in real expressions */
} functions[] = {
	{ "ceildiv", ceildiv, NULL }, { "roundup", roundup, NULL }, { "min", smaller, NULL },
	{ "max", larger, NULL },      { "sqrt", NULL, sqrt },       { "log2", NULL, log2 },
	{ "exp", NULL, exp },
};

/* ---- grammar ---- */

static int digit(char c) {
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

static int real_literal(struct parser *p, struct value *v) {
	char *end;
	*v = (struct value){ .r = strtod(p->at, &end) };
	p->at = end;
	return 0;
}

static int literal(struct parser *p, struct value *v) {
	int base = p->at[0] == '0' && (p->at[1] | ' ') == 'x' ? 16 : 10;
	p->at += base == 16 ? 2 : 0;
	if (digit(*p->at) >= base)
		return unexpected(p);
	for (*v = (struct value){ 0 }; digit(*p->at) < base; p->at++)
		if (__builtin_mul_overflow(v->i, base, &v->i) ||
		    __builtin_add_overflow(v->i, digit(*p->at), &v->i))
			return overflow(p);
	return 0;
}

static bool is(const char *name, const char *word, size_t length) {
	return strlen(name) == length && !memcmp(name, word, length);
}

static int function(struct parser *p, const char *word, size_t length, struct value *v) {
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		struct value a, b;
		bool two = functions[i].call != NULL;
		if (!is(functions[i].name, word, length) || (!two && !p->real))
			continue;
		if (sum(p, &a) || (two && (expect(p, ',') || sum(p, &b))) || expect(p, ')'))
			return -1;
		if (two)
			return functions[i].call(p, a, b, v);
		*v = (struct value){ .r = functions[i].of(a.r) };
		return 0;
	}
	return mx_fail(p->err, "unknown function '%.*s'", (int)length, word);
}

static int name(struct parser *p, struct value *v) {
	const char *word = p->at;
	while (isalnum((unsigned char)*p->at) || *p->at == '_')
		p->at++;
	size_t length = p->at - word;
	if (accept(p, '('))
		return function(p, word, length, v);
	for (size_t i = 0; i < p->n_names; i++)
		if (is(p->names[i].name, word, length)) {
			int64_t n = p->names[i].value;
			*v = p->real ? (struct value){ .r = (double)n } : (struct value){ .i = n };
			return 0;
		}
	return mx_fail(p->err, "unknown name '%.*s'", (int)length, word);
}

static int unary(struct parser *p, struct value *v) {
	if (accept(p, '-')) {
		if (nested(p, v))
			return -1;
		return subtract(p, (struct value){ 0 }, *v, v);
	}
	if (accept(p, '(')) {
		if (sum(p, v))
			return -1;
		return expect(p, ')');
	}
	if (isdigit((unsigned char)*p->at) || (p->real && *p->at == '.'))
		return p->real ? real_literal(p, v) : literal(p, v);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return name(p, v);
	return unexpected(p);
}

static int nested(struct parser *p, struct value *v) {
	if (p->depth == MAX_DEPTH)
		return mx_fail(p->err, "expression is nested more than %d deep", MAX_DEPTH);
	p->depth++;
	int rc = unary(p, v);
	p->depth--;
	return rc;
}

static int product(struct parser *p, struct value *v) {
	if (nested(p, v))
		return -1;
	for (;;) {
		operation *op = accept(p, '*')   ? multiply
		                : accept(p, '/') ? quotient
		                : accept(p, '%') ? remainder_of
		                                 : NULL;
		struct value b;
		if (!op)
			return 0;
		if (nested(p, &b) || op(p, *v, b, v))
			return -1;
	}
}

static int sum(struct parser *p, struct value *v) {
	if (product(p, v))
		return -1;
	for (;;) {
		operation *op = accept(p, '+') ? add : accept(p, '-') ? subtract : NULL;
		struct value b;
		if (!op)
			return 0;
		if (product(p, &b) || op(p, *v, b, v))
			return -1;
	}
}

static int evaluate(struct parser *p, struct value *v) {
	if (sum(p, v))
		return -1;
	return *p->at ? unexpected(p) : 0;
}

int mx_expr_eval(const char *text, const struct mx_name *names, size_t n_names, int64_t *value,
                 struct mx_error *err) {
	struct parser p = { text, text, names, n_names, false, 0, err };
	struct value v = { 0 };
	if (evaluate(&p, &v))
		return -1;
	*value = v.i;
	return 0;
}

int mx_expr_real(const char *text, const struct mx_name *names, size_t n_names, double *value,
                 struct mx_error *err) {
	struct parser p = { text, text, names, n_names, true, 0, err };
	struct value v = { 0 };
	if (evaluate(&p, &v))
		return -1;
	if (!isfinite(v.r))
		return mx_fail(err, "'%s' is not a finite number", text);
	*value = v.r;
	return 0;
}
