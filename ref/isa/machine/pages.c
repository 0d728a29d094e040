/* What is recorded of the pages of device memory and LDS. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#include "../isa.h"

enum {
	PAGE = MX_PAGE,
	WORD = MX_PAGES_OF_WORD,
	MOST = 4 * WORD, /* pages of an access; those of wider ones are not looked at */
};

static bool allocate(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind) {
	size_t words = r->size / PAGE / WORD + 1;
	uint64_t *bits = calloc(2 * words, sizeof *bits);
	p->looked[kind] = bits;
	p->has[kind] = bits + words;
	return bits;
}

static bool page_has(const struct mx_region *r, mx_pages_kind kind, uint64_t page) {
	static const uint8_t flags_of[] = { MX_GUARD, MX_WRITTEN, 0xff };
	uint64_t flags = flags_of[kind], flip = kind == MX_PAGES_WRITTEN ? flags : 0, any = 0, v;
	size_t bytes = r->size - page * PAGE < PAGE ? r->size - page * PAGE : PAGE;
	const uint8_t *state = r->state + page * PAGE;
	size_t i = 0;
	for (; i + 8 <= bytes; i += 8) {
		memcpy(&v, state + i, 8);
		any |= v ^ flip * 0x0101010101010101u;
	}
	for (; i < bytes; i++)
		any |= state[i] ^ flip;
	return !(any & flags * 0x0101010101010101u);
}

static void look(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind, uint64_t word,
                 uint64_t pages) {
	for (; pages; pages &= pages - 1) {
		unsigned bit = (unsigned)__builtin_ctzll(pages);
		p->looked[kind][word] |= 1ull << bit;
		if (page_has(r, kind, word * WORD + bit))
			p->has[kind][word] |= 1ull << bit;
	}
}

bool mx_pages_look(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind, uint64_t from,
                   uint64_t to) {
	uint64_t first = from / PAGE, last = (to - 1) / PAGE, word = first / WORD;
	if (last - first >= MOST || (!p->looked[kind] && !allocate(p, r, kind)))
		return false;
	for (; word <= last / WORD; word++) {
		uint64_t mask = mx_pages_mask(word, first, last);
		look(p, r, kind, word, mask & ~p->looked[kind][word]);
		if (mask & ~p->has[kind][word])
			return false;
	}
	return true;
}

void mx_pages_changed(struct mx_pages *p, mx_pages_kind kind, uint64_t from, uint64_t to,
                      bool lost) {
	uint64_t first = from / PAGE, last = (to - 1) / PAGE;
	if (!p->looked[kind])
		return;
	for (uint64_t word = first / WORD; word <= last / WORD; word++) {
		uint64_t others = ~mx_pages_mask(word, first, last);
		p->has[kind][word] &= others | (lost ? 0 : ~0ull);
		p->looked[kind][word] &= others | p->has[kind][word];
	}
}

void mx_pages_gained(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind,
                     uint64_t from, uint64_t to) {
	uint64_t first = (from + PAGE - 1) / PAGE,
		 end = to == r->size ? (to + PAGE - 1) / PAGE : to / PAGE;
	mx_pages_changed(p, kind, from, to, false);
	if (!p->looked[kind] && !allocate(p, r, kind))
		return;
	for (uint64_t page = first; page < end; page++) {
		p->looked[kind][page / WORD] |= 1ull << page % WORD;
		p->has[kind][page / WORD] |= 1ull << page % WORD;
	}
}

struct mx_pages *mx_pages_new(size_t n) {
	return calloc(n + 1, sizeof(struct mx_pages));
}

struct mx_pages *mx_pages_copy(const struct mx_pages *p, size_t n) {
	struct mx_pages *copy = mx_pages_new(n);
	for (size_t i = 0; copy && i < n; i++)
		copy[i].stored = !p || p[i].stored;
	return copy;
}

void mx_pages_free(struct mx_pages *p, size_t n) {
	for (size_t i = 0; p && i < n; i++)
		for (unsigned kind = 0; kind < MX_PAGES_KINDS; kind++)
			free(p[i].looked[kind]);
	free(p);
}
