/* printf of device code: the format and arguments that a kernel has sent [clr
 * rocclr/device/devhcprintf.cpp]. The kernel's words are not trusted: each conversion is printed by
 * a format of our own that has its flags, width and precision. */
#include <string.h>

#include "hostcall.h"

struct printing {
	FILE *to;
	const uint64_t *at, *end;
	int count; /* characters, -1 after an error */
};

static void add(struct printing *p, int n) {
	p->count = n < 0 || p->count < 0 ? -1 : p->count + n;
}

static uint64_t next(struct printing *p) {
	return p->at < p->end ? *p->at++ : 0;
}

/* Bytes of a string in the words, without its end. */
static size_t length(const struct printing *p) {
	return strnlen((const char *)p->at, (size_t)(p->end - p->at) * 8);
}

/* A conversion: "%-*.3lld" has the format "%-*.*" and numbers for both stars. */
struct conversion {
	char flags[8];
	int width, precision; /* precision -1: none */
	unsigned bits;        /* of an integer */
	char kind;            /* 0: the string ends before it */
};

static int number(const char **c, struct printing *p) {
	int n = 0;
	if (**c == '*') {
		++*c;
		return (int)next(p);
	}
	for (; **c >= '0' && **c <= '9'; ++*c)
		n = n < 100000 ? 10 * n + (**c - '0') : n;
	return n;
}

static unsigned bits(const char **c) {
	unsigned n = 32;
	for (; **c && strchr("hlLqjzt", **c); ++*c)
		n = **c == 'h' ? n / 2 : 64;
	return n < 8 ? 8 : n;
}

static struct conversion parse(const char **c, struct printing *p) {
	struct conversion x = { .precision = -1 };
	for (size_t n = 0; **c && strchr("-+ #0", **c); ++*c)
		if (n < sizeof x.flags - 1)
			x.flags[n++] = **c;
	x.width = number(c, p);
	if (**c == '.') {
		++*c;
		x.precision = number(c, p);
	}
	x.bits = bits(c);
	x.kind = **c;
	*c += **c != 0;
	return x;
}

/* An argument of fewer bits than its word has anything in the others. */
static uint64_t narrowed(const struct conversion *x, uint64_t v) {
	unsigned shift = 64 - x->bits;
	if (x->kind == 'd' || x->kind == 'i')
		return (uint64_t)((int64_t)(v << shift) >> shift);
	return v << shift >> shift;
}

static void print_string(struct printing *p, const struct conversion *x, const char *format) {
	size_t n = length(p);
	int most = x->precision >= 0 && (size_t)x->precision < n ? x->precision : (int)n;
	add(p, fprintf(p->to, format, x->width, most, (const char *)p->at));
	p->at += n / 8 + 1 < (size_t)(p->end - p->at) ? n / 8 + 1 : (size_t)(p->end - p->at);
}

static void print(struct printing *p, const struct conversion *x) {
	char format[24];
	double d;
	bool wide = strchr("diouxX", x->kind);
	snprintf(format, sizeof format, "%%%s*.*%s%c", x->flags, wide ? "ll" : "", x->kind);
	if (x->kind == 's')
		print_string(p, x, format);
	else if (wide)
		add(p, fprintf(p->to, format, x->width, x->precision,
		               (unsigned long long)narrowed(x, next(p))));
	else if (strchr("fFeEgGaA", x->kind)) {
		uint64_t word = next(p);
		memcpy(&d, &word, sizeof d);
		add(p, fprintf(p->to, format, x->width, x->precision, d));
	} else if (x->kind == 'c')
		add(p, fprintf(p->to, format, x->width, x->precision, (int)next(p)));
	else if (x->kind == 'p')
		add(p, fprintf(p->to, format, x->width, x->precision, (void *)next(p)));
	else /* %n stores nothing; others are undefined */
		next(p);
}

/* Prints until the format ends, or the arguments do. */
static void print_all(struct printing *p, const char *c) {
	while (*c && p->count >= 0) {
		size_t n = strcspn(c, "%");
		add(p, fprintf(p->to, "%.*s", (int)n, c));
		c += n;
		if (c[0] == '%' && c[1] == '%') {
			add(p, fprintf(p->to, "%%"));
			c += 2;
		} else if (*c) {
			c++;
			struct conversion x = parse(&c, p);
			if (x.kind)
				print(p, &x);
		}
	}
}

int mx_device_printf(FILE *to, const uint64_t *words, size_t n) {
	struct printing p = { to, words, words + n, 0 };
	size_t bytes = length(&p);
	if (bytes == 8 * n) /* the format has no end */
		return -1;
	p.at += bytes / 8 + 1;
	print_all(&p, (const char *)words);
	return p.count;
}
