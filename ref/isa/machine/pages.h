/* What is recorded of a region of device memory: whether the launch has written to it, and of its
 * pages, whether they have no guard, and whether all of their bytes are written. Of LDS: whether
 * they have no unwritten bits. A page is looked at once, so that an access of a wave need not look
 * at the state of each byte. */
#ifndef MX_PAGES_H
#define MX_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mx_region;

typedef enum {
	MX_PAGES_PLAIN,
	MX_PAGES_WRITTEN,
	MX_PAGES_CLEAN, /* of LDS, where states are unwritten bits */
	MX_PAGES_KINDS
} mx_pages_kind;

/* The pages of one region; zeros: nothing is known. Two bits of each kind for each page: it has
 * been looked at, and it has the property. */
struct mx_pages {
	bool stored; /* instructions have written to the region */
	uint64_t *looked[MX_PAGES_KINDS], *has[MX_PAGES_KINDS];
};

enum {
	MX_PAGE = 1024,
	MX_PAGES_OF_WORD = 64,
};

/* The bits of a word of pages that are in [first, last]. */
static inline uint64_t mx_pages_mask(uint64_t word, uint64_t first, uint64_t last) {
	uint64_t mask = ~0ull;
	if (word == first / MX_PAGES_OF_WORD)
		mask &= ~0ull << first % MX_PAGES_OF_WORD;
	if (word == last / MX_PAGES_OF_WORD)
		mask &= ~0ull >> (MX_PAGES_OF_WORD - 1 - last % MX_PAGES_OF_WORD);
	return mask;
}

/* Whether all bytes of the region in [from, to), offsets, are in pages that have the property.
 * False if that is not known. Most accesses are to few pages, which have been looked at. */
bool mx_pages_look(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind, uint64_t from,
                   uint64_t to);
static inline bool mx_pages_have(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind,
                                 uint64_t from, uint64_t to) {
	uint64_t first = from / MX_PAGE, last = (to - 1) / MX_PAGE, word = first / MX_PAGES_OF_WORD;
	uint64_t mask = mx_pages_mask(word, first, last);
	bool few = p->has[kind] && word == last / MX_PAGES_OF_WORD;
	return few && !(mask & ~p->looked[kind][word]) ? !(mask & ~p->has[kind][word])
	                                               : mx_pages_look(p, r, kind, from, to);
}
/* The same if it is known already. */
static inline bool mx_pages_known(const struct mx_pages *p, mx_pages_kind kind, uint64_t from,
                                  uint64_t to) {
	uint64_t first = from / MX_PAGE, last = (to - 1) / MX_PAGE, word = first / MX_PAGES_OF_WORD;
	return p->has[kind] && word == last / MX_PAGES_OF_WORD &&
	       !(mx_pages_mask(word, first, last) & ~p->has[kind][word]);
}
/* All bytes in [from, to), offsets, have got the property: pages inside have it. */
void mx_pages_gained(struct mx_pages *p, const struct mx_region *r, mx_pages_kind kind,
                     uint64_t from, uint64_t to);
/* The pages of n regions, or NULL. */
struct mx_pages *mx_pages_new(size_t n);
/* Pages of which only `stored` is copied; NULL has stored all. */
struct mx_pages *mx_pages_copy(const struct mx_pages *p, size_t n);
void mx_pages_free(struct mx_pages *p, size_t n);
/* States in [from, to), offsets, have changed. Pages that did not have the property may have it
 * now; if it was `lost`, those that had it may not. */
void mx_pages_changed(struct mx_pages *p, mx_pages_kind kind, uint64_t from, uint64_t to,
                      bool lost);

#endif
