/* Lists of spans, in loops of which the compiler makes vector instructions. The spans of a wave are
 * short: 4 to 16 bytes of a lane, or neighbours. */
#include "spans.h"

/* Many bytes at once. */
typedef uint64_t line __attribute__((vector_size(64)));
typedef uint64_t half __attribute__((vector_size(16)));

static inline line load_line(const uint8_t *p) {
	line v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline half load_half(const uint8_t *p) {
	half v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t any_of(line x, half y) {
	uint64_t any = y[0] | y[1];
	for (unsigned i = 0; i < 8; i++)
		any |= x[i];
	return any;
}

/* Less than 16 bytes. */
static inline uint64_t last_differ(const uint8_t *a, const uint8_t *b, unsigned bytes) {
	uint64_t any = 0;
	for (unsigned i = 0; i < bytes; i++)
		any |= a[i] ^ b[i];
	return any;
}

mx_spans_are_function MX_STEPPED(mx_spans_are);
bool MX_STEPPED(mx_spans_are)(uintptr_t base, const struct mx_span *span, unsigned n,
                              const uint8_t *bytes) {
	line lines = { 0 };
	half halves = { 0 };
	uint64_t any = 0;
	for (const struct mx_span *s = span; s < span + n; bytes += s++->bytes) {
		const uint8_t *p = mx_place(base, s->at);
		unsigned i = 0, left;
		for (; i + sizeof lines <= s->bytes; i += sizeof lines)
			lines |= load_line(p + i) ^ load_line(bytes + i);
		for (; i + sizeof halves <= s->bytes; i += sizeof halves)
			halves |= load_half(p + i) ^ load_half(bytes + i);
		if ((left = s->bytes - i))
			any |= last_differ(p + i, bytes + i, left);
	}
	return !(any | any_of(lines, halves));
}

mx_spans_all_function MX_STEPPED(mx_spans_all);
bool MX_STEPPED(mx_spans_all)(uintptr_t base, const struct mx_span *span, unsigned n,
                              uint8_t value) {
	uint64_t all = value * 0x0101010101010101u;
	line lines = { 0 };
	half halves = { 0 };
	uint64_t any = 0;
	for (const struct mx_span *s = span; s < span + n; s++) {
		const uint8_t *p = mx_place(base, s->at);
		unsigned i = 0, bytes = s->at == MX_NOWHERE ? 0 : s->bytes;
		for (; i + sizeof lines <= bytes; i += sizeof lines)
			lines |= load_line(p + i) ^ all;
		for (; i + sizeof halves <= bytes; i += sizeof halves)
			halves |= load_half(p + i) ^ all;
		for (; i < bytes; i++)
			any |= p[i] ^ value;
	}
	return !(any | any_of(lines, halves));
}

static inline void copy(uint8_t *to, const uint8_t *from, unsigned bytes) {
	switch (bytes) {
	case 4: memcpy(to, from, 4); break;
	case 16: memcpy(to, from, 16); break;
	case 64: memcpy(to, from, 64); break;
	default: memcpy(to, from, bytes);
	}
}

mx_spans_write_function MX_STEPPED(mx_spans_write);
void MX_STEPPED(mx_spans_write)(uintptr_t base, const struct mx_span *span, unsigned n,
                                const uint8_t *bytes) {
	for (const struct mx_span *s = span; s < span + n; bytes += s++->bytes)
		copy(mx_place(base, s->at), bytes, s->bytes);
}

mx_spans_set_function MX_STEPPED(mx_spans_set);
void MX_STEPPED(mx_spans_set)(uintptr_t base, const struct mx_span *span, unsigned n,
                              uint8_t value) {
	for (const struct mx_span *s = span; s < span + n; s++)
		switch (s->bytes) {
		case 4: memset(mx_place(base, s->at), value, 4); break;
		case 16: memset(mx_place(base, s->at), value, 16); break;
		case 64: memset(mx_place(base, s->at), value, 64); break;
		default: memset(mx_place(base, s->at), value, s->bytes);
		}
}

mx_spans_copy_function MX_STEPPED(mx_spans_copy);
void MX_STEPPED(mx_spans_copy)(uint8_t *lds, const struct mx_span *span, unsigned n) {
	for (const struct mx_span *s = span; s < span + n; s++)
		if (s->at != MX_NOWHERE)
			copy(lds + s->to, mx_place(0, s->at), s->bytes);
		else
			memset(lds + s->to, 0, s->bytes);
}
