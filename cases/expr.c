/* Integer expressions: recursive descent, one function for each grammar rule.
 *
 *   sum     = product { ("+" | "-") product }
 *   product = unary { ("*" | "/" | "%") unary }
 *   unary   = "-" unary | "(" sum ")" | literal | name | function "(" sum "," sum ")" */
#include "case.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; /* of "-" and parentheses: bounds the depth of the stack */

struct parser {
	const char *text, *at;
	const struct mx_name *names;
	size_t n_names;
	unsigned depth;
	struct mx_error *err;
};

static int sum(struct parser *p, int64_t *v);
static int nested(struct parser *p, int64_t *v);

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

typedef int operation(const struct parser *p, int64_t a, int64_t b, int64_t *v);

static int add(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	return __builtin_add_overflow(a, b, v) ? overflow(p) : 0;
}

static int subtract(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	return __builtin_sub_overflow(a, b, v) ? overflow(p) : 0;
}

static int multiply(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	return __builtin_mul_overflow(a, b, v) ? overflow(p) : 0;
}

/* INT64_MIN / -1 and INT64_MIN % -1 trap on x86. */
static int divisible(const struct parser *p, int64_t a, int64_t b) {
	if (!b)
		return mx_fail(p->err, "division by zero in '%s'", p->text);
	return a == INT64_MIN && b == -1 ? overflow(p) : 0;
}

static int quotient(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	if (divisible(p, a, b))
		return -1;
	*v = a / b;
	return 0;
}

static int remainder_of(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	if (divisible(p, a, b))
		return -1;
	*v = a % b;
	return 0;
}

static int ceildiv(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	if (divisible(p, a, b))
		return -1;
	*v = a / b + (a % b && (a < 0) == (b < 0));
	return 0;
}

static int roundup(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	int64_t n;
	if (ceildiv(p, a, b, &n))
		return -1;
	return multiply(p, n, b, v);
}

static int smaller(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	(void)p;
	*v = a < b ? a : b;
	return 0;
}

static int larger(const struct parser *p, int64_t a, int64_t b, int64_t *v) {
	(void)p;
	*v = a > b ? a : b;
	return 0;
}

static const struct {
	const char *name;
	operation *call;
} functions[] = {
	{ "ceildiv", ceildiv },
	{ "roundup", roundup },
	{ "min", smaller },
	{ "max", larger },
};

/* ---- grammar ---- */

static int digit(char c) {
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

static int literal(struct parser *p, int64_t *v) {
	int base = p->at[0] == '0' && (p->at[1] | ' ') == 'x' ? 16 : 10;
	p->at += base == 16 ? 2 : 0;
	if (digit(*p->at) >= base)
		return unexpected(p);
	for (*v = 0; digit(*p->at) < base; p->at++)
		if (__builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, digit(*p->at), v))
			return overflow(p);
	return 0;
}

static bool is(const char *name, const char *word, size_t length) {
	return strlen(name) == length && !memcmp(name, word, length);
}

static int function(struct parser *p, const char *word, size_t length, int64_t *v) {
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		int64_t a, b;
		if (!is(functions[i].name, word, length))
			continue;
		if (sum(p, &a) || expect(p, ',') || sum(p, &b) || expect(p, ')'))
			return -1;
		return functions[i].call(p, a, b, v);
	}
	return mx_fail(p->err, "unknown function '%.*s'", (int)length, word);
}

static int name(struct parser *p, int64_t *v) {
	const char *word = p->at;
	while (isalnum((unsigned char)*p->at) || *p->at == '_')
		p->at++;
	size_t length = p->at - word;
	if (accept(p, '('))
		return function(p, word, length, v);
	for (size_t i = 0; i < p->n_names; i++)
		if (is(p->names[i].name, word, length)) {
			*v = p->names[i].value;
			return 0;
		}
	return mx_fail(p->err, "unknown name '%.*s'", (int)length, word);
}

static int unary(struct parser *p, int64_t *v) {
	if (accept(p, '-')) {
		if (nested(p, v))
			return -1;
		return subtract(p, 0, *v, v);
	}
	if (accept(p, '(')) {
		if (sum(p, v))
			return -1;
		return expect(p, ')');
	}
	if (isdigit((unsigned char)*p->at))
		return literal(p, v);
	if (isalpha((unsigned char)*p->at) || *p->at == '_')
		return name(p, v);
	return unexpected(p);
}

static int nested(struct parser *p, int64_t *v) {
	if (p->depth == MAX_DEPTH)
		return mx_fail(p->err, "expression is nested more than %d deep", MAX_DEPTH);
	p->depth++;
	int rc = unary(p, v);
	p->depth--;
	return rc;
}

static int product(struct parser *p, int64_t *v) {
	if (nested(p, v))
		return -1;
	for (;;) {
		operation *op = accept(p, '*')   ? multiply
		                : accept(p, '/') ? quotient
		                : accept(p, '%') ? remainder_of
		                                 : NULL;
		int64_t b;
		if (!op)
			return 0;
		if (nested(p, &b) || op(p, *v, b, v))
			return -1;
	}
}

static int sum(struct parser *p, int64_t *v) {
	if (product(p, v))
		return -1;
	for (;;) {
		operation *op = accept(p, '+') ? add : accept(p, '-') ? subtract : NULL;
		int64_t b;
		if (!op)
			return 0;
		if (product(p, &b) || op(p, *v, b, v))
			return -1;
	}
}

int mx_expr_eval(const char *text, const struct mx_name *names, size_t n_names, int64_t *value,
                 struct mx_error *err) {
	struct parser p = { text, text, names, n_names, 0, err };
	int64_t v;
	if (sum(&p, &v))
		return -1;
	if (*p.at)
		return unexpected(&p);
	*value = v;
	return 0;
}
