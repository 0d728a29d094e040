/* Locations in a case's memory: their text form and their addresses. */
#include "location.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bits per element in a line; 0 if lines have no elements. */
static size_t element_bits(const struct mx_buffer *s) {
	size_t in_line = s->order == MX_ORDER_COL ? s->rows : s->cols;
	return in_line ? s->line_bytes * 8 / in_line : 0;
}

/* ---- from text ---- */

/* Parses a number and moves *at past it. */
static bool number(const char **at, bool sign, long long *v) {
	char *end;
	if (!isdigit((unsigned char)**at) && !(sign && **at == '-'))
		return false;
	errno = 0;
	*v = strtoll(*at, &end, 0);
	bool good = end != *at && !errno;
	*at = end;
	return good;
}

static bool byte_range(const char *at, struct mx_location *p, uint64_t base, bool sign) {
	long long offset, bytes = 1;
	if (!number(&at, sign, &offset))
		return false;
	if (*at == '+') {
		at++;
		if (!number(&at, false, &bytes) || bytes <= 0)
			return false;
	}
	p->address = base + (uint64_t)offset;
	p->bytes = (uint64_t)bytes;
	return !*at;
}

/* *outside: it is written as an element is, but the buffer has no such row or column. */
static bool element(const char *at, const struct mx_buffer *s, uint64_t base, struct mx_location *p,
                    bool *outside) {
	long long i, j;
	size_t bits = element_bits(s);
	if (!number(&at, false, &i) || (*at == ']' && (at++, *at != '[')) ||
	    (*at != ',' && *at != '['))
		return false;
	at++;
	if (!number(&at, false, &j) || strcmp(at, "]") || !bits)
		return false;
	*outside = (size_t)i >= s->rows || (size_t)j >= s->cols;
	if (*outside)
		return false;
	bool by_column = s->order == MX_ORDER_COL;
	uint64_t line = (uint64_t)(by_column ? j : i), in_line = (uint64_t)(by_column ? i : j);
	p->address = base + mx_buffer_byte(s, line, in_line * bits / 8);
	p->bytes = bits < 8 ? 1 : bits / 8;
	return true;
}

/* Whether the bytes are within the buffer and its guards. */
static bool is_in_guards(const struct mx_location *p, const struct mx_buffer *s, uint64_t base) {
	uint64_t at = p->address - base + s->guard, all = s->bytes + 2 * s->guard;
	return at <= all && p->bytes <= all - at;
}

/* The buffer with the name at the start of the text; *at is set past the name. */
static const struct mx_buffer *buffer(const struct mx_bench *b, const char *text, unsigned *i,
                                      const char **at) {
	const struct mx_plan *p = mx_bench_plan(b);
	size_t n = strcspn(text, ":[");
	for (*i = 0; *i < p->n_buffers; ++*i)
		if (strlen(p->buffers[*i].name) == n && !strncmp(p->buffers[*i].name, text, n)) {
			*at = text + n;
			return &p->buffers[*i];
		}
	return NULL;
}

int mx_location_parse(const struct mx_bench *b, const char *text, struct mx_location *p,
                      struct mx_error *err) {
	unsigned i;
	const char *at;
	const struct mx_buffer *s = buffer(b, text, &i, &at);
	bool good, outside = false;
	*p = (struct mx_location){ .lds = !s && !strncmp(text, "lds:", 4) };
	if (s && *at == ':')
		good = byte_range(at + 1, p, mx_bench_address(b, i), true);
	else if (s && *at == '[')
		good = element(at + 1, s, mx_bench_address(b, i), p, &outside);
	else
		good = byte_range(p->lds ? text + 4 : text, p, 0, false);
	if (outside)
		return mx_fail(err, "'%s': %s has %zu rows and %zu columns", text, s->name,
		               (size_t)s->rows, (size_t)s->cols);
	if (good && s && !is_in_guards(p, s, mx_bench_address(b, i)))
		return mx_fail(err, "'%s': %s has %zu bytes and guards of %zu", text, s->name,
		               s->bytes, s->guard);
	if (good)
		return 0;
	char names[256] = "";
	const struct mx_plan *plan = mx_bench_plan(b);
	for (unsigned k = 0; k < plan->n_buffers; k++)
		snprintf(names + strlen(names), sizeof names - strlen(names), " %s",
		         plan->buffers[k].name);
	return mx_fail(err,
	               "'%s' is not a location: BUFFER:OFFSET[+BYTES], BUFFER[ROW,COLUMN], "
	               "lds:OFFSET[+BYTES] or an address; buffers here:%s",
	               text, names);
}

/* ---- to text ---- */

static void in_buffer(const struct mx_buffer *s, long long offset, char text[160]) {
	size_t bits = element_bits(s), line, byte;
	bool inside = offset >= 0 && (size_t)offset < s->bytes && bits;
	if (!inside || !mx_buffer_find(s, (size_t)offset, &line, &byte)) {
		snprintf(text, 160, "byte %lld of %.64s%s", offset, s->name,
		         offset < 0 || (size_t)offset >= s->bytes ? " (guard)"
		         : inside                                 ? " (padding)"
		                                                  : "");
		return;
	}
	size_t i = byte * 8 / bits, rest = byte - i * bits / 8;
	bool by_column = s->order == MX_ORDER_COL;
	char plus[24] = "";
	if (rest)
		snprintf(plus, sizeof plus, "+%zu", rest);
	snprintf(text, 160, "%.64s[%zu][%zu]%s (byte %lld of %.32s)", s->name, by_column ? i : line,
	         by_column ? line : i, plus, offset, s->name);
}

/* The buffer in another one that has an element at the address; NULL: none. */
static const struct mx_buffer *placed_at(const struct mx_bench *b, uint64_t address,
                                         long long *offset) {
	const struct mx_plan *p = mx_bench_plan(b);
	size_t line, i;
	for (unsigned k = 0; k < p->n_buffers; k++) {
		*offset = (long long)(address - mx_bench_address(b, k));
		if (p->buffers[k].in >= 0 && *offset >= 0 &&
		    mx_buffer_find(&p->buffers[k], (size_t)*offset, &line, &i))
			return &p->buffers[k];
	}
	return NULL;
}

/* The buffer, with its guards, that contains the address; NULL: none. */
static const struct mx_buffer *buffer_at(const struct mx_bench *b, uint64_t address,
                                         long long *offset) {
	const struct mx_plan *p = mx_bench_plan(b);
	const struct mx_buffer *placed = placed_at(b, address, offset);
	if (placed)
		return placed;
	for (unsigned i = 0; i < p->n_buffers; i++) {
		const struct mx_buffer *s = &p->buffers[i];
		uint64_t start = mx_bench_address(b, i) - s->guard;
		if (s->in >= 0)
			continue;
		*offset = (long long)(address - start) - (long long)s->guard;
		if (address >= start && address - start < s->bytes + 2 * s->guard)
			return s;
	}
	return NULL;
}

bool mx_location_in_buffer(const struct mx_bench *b, uint64_t address, char text[160]) {
	long long offset;
	const struct mx_buffer *s = buffer_at(b, address, &offset);
	if (s)
		in_buffer(s, offset, text);
	return s != NULL;
}

const char *mx_location_text(const struct mx_bench *b, uint64_t address, char text[160]) {
	if (!mx_location_in_buffer(b, address, text))
		snprintf(text, 160, "address 0x%" PRIx64, address);
	return text;
}

const char *mx_location_option(const struct mx_bench *b, uint64_t address, char text[160]) {
	long long offset;
	const struct mx_buffer *s = buffer_at(b, address, &offset);
	if (s)
		snprintf(text, 160, "%s:%lld", s->name, offset);
	else
		snprintf(text, 160, "0x%" PRIx64, address);
	return text;
}
