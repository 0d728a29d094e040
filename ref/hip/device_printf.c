/* printf of device code: the format and arguments that a kernel has sent [clr
 * rocclr/device/devhcprintf.cpp]. The kernel's words are not trusted: each conversion is printed by
 * a format of our own that has its flags, width and precision. */
#include <stdlib.h>
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

/* ---- the printf buffer [clr rocclr/device/rocm/rocprintf.cpp] ---- */

/* Two dwords, the bytes that are taken and those that there are, and then calls: a dword of control
 * with the call's bytes, and the format, or its hash, and arguments as above. */
enum { HEAD = 8, CONTROL = 4, STANDARD_ERROR = 1, HASHED = 2, BYTES_AT = 2 };

void mx_printf_buffer_begin(uint8_t *buffer) {
	uint32_t head[2] = { 0, MX_PRINTF_BYTES - HEAD };
	memcpy(buffer, head, sizeof head);
	mx_hip_mark((uint64_t)(uintptr_t)buffer, sizeof head, MX_WRITTEN);
}

static const char *format_of(const struct ihipModule_t *m, uint64_t hash) {
	for (size_t i = 0; i < m->n_formats; i++)
		if (m->formats[i].hash == hash)
			return m->formats[i].text;
	return NULL;
}

/* A call of n bytes after its control; its words are not aligned. */
static void print_call(FILE *to, const uint8_t *call, size_t n, const struct ihipModule_t *m,
                       bool hashed) {
	uint64_t hash;
	if (hashed && n < sizeof hash)
		return;
	memcpy(&hash, call, hashed ? sizeof hash : 0);
	const char *format = hashed ? format_of(m, hash) : "";
	size_t lead = !hashed ? 0 : format ? strlen(format) / 8 + 1 : 0;
	size_t skipped = hashed ? sizeof hash : 0;
	uint64_t *words = format ? calloc(lead + n / 8 + 1, 8) : NULL;
	if (words) {
		memcpy(words, format, strlen(format));
		memcpy(words + lead, call + skipped, n - skipped);
		mx_device_printf(to, words, lead + (n - skipped) / 8);
	}
	free(words);
}

void mx_printf_buffer_print(const uint8_t *buffer, const struct ihipModule_t *m, FILE *to) {
	uint32_t taken, control;
	memcpy(&taken, buffer, sizeof taken);
	const uint8_t *at = buffer + HEAD, *end = at;
	end += taken < MX_PRINTF_BYTES - HEAD ? taken : MX_PRINTF_BYTES - HEAD;
	while (end - at >= CONTROL) {
		memcpy(&control, at, sizeof control);
		size_t n = control >> BYTES_AT;
		if (n < CONTROL || n > (size_t)(end - at))
			return;
		FILE *stream = to ? to : control & STANDARD_ERROR ? stderr : stdout;
		print_call(stream, at + CONTROL, n - CONTROL, m, control & HASHED);
		at += n;
	}
}
