/* The bytes of an operation whose lanes are accessed together, and its landing by them, without
 * registers (schedule/access.h). The bytes of all lanes are spans, few of them if lanes are
 * neighbours. A load that lands again is compared with what it read, a store writes what it wrote,
 * and a copy to LDS copies. */
#include "../schedule/access.h"

#include <stdlib.h>
#include <string.h>

#include "../machine/device_memory.h"
#include "ds.h"
#include "lds.h"
#include "together.h"
#include "vmem.h"

enum { MOST_SPANS = 2 * MX_LANES };

/* ---- spans ---- */

struct spans {
	struct mx_span span[MOST_SPANS];
	unsigned n;
};

static int by_place(const void *a, const void *b) {
	const struct mx_span *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Sorts spans, and merges neighbours and those that overlap. */
static void merge(struct spans *x) {
	unsigned n = 0;
	qsort(x->span, x->n, sizeof *x->span, by_place);
	for (unsigned i = 0; i < x->n; i++) {
		struct mx_span *last = n ? &x->span[n - 1] : NULL, s = x->span[i];
		if (!last || last->at + last->bytes < s.at)
			x->span[n++] = s;
		else if (s.at + s.bytes > last->at + last->bytes)
			last->bytes = (uint32_t)(s.at + s.bytes - last->at);
	}
	x->n = n;
}

static void add(struct spans *x, uint64_t at, unsigned bytes) {
	x->span[x->n++] = (struct mx_span){ .at = at, .bytes = bytes };
}

static void memory_spans(const struct mx_memop *m, struct spans *x) {
	unsigned l;
	MX_FOR_LANES(l, m->in_range)
	add(x, m->address[l], m->in->op->d);
	merge(x);
}

static void lds_spans(const struct mx_memop *m, struct spans *x) {
	unsigned l;
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++)
		MX_FOR_LANES(l, m->exec)
	add(x, mx_ds_element(m, l, e), m->in->op->d);
	merge(x);
}

/* Whether the bytes at an address are the next ones; zeros follow zeros. */
static bool follows(const struct mx_span *s, uint64_t at) {
	bool zeros = s->at == MX_NOWHERE;
	return zeros ? at == MX_NOWHERE : s->at + s->bytes == at;
}

/* In the order of lanes. */
static void copied_spans(const struct mx_memop *m, struct spans *x) {
	unsigned l, bytes;
	MX_FOR_LANES(l, m->exec) {
		uint32_t to = mx_lds_dma_place(m, l, &bytes);
		uint64_t at = m->in_range >> l & 1 ? m->address[l] : MX_NOWHERE;
		struct mx_span *last = x->n ? &x->span[x->n - 1] : NULL;
		if (last && last->to + last->bytes == to && follows(last, at))
			last->bytes += bytes;
		else
			x->span[x->n++] = (struct mx_span){ at, bytes, to };
	}
}

static void find_spans(const struct mx_memop *m, mx_access_effect effect, struct spans *x) {
	switch (effect) {
	case MX_READS:
	case MX_WRITES: memory_spans(m, x); break;
	case MX_READS_LDS:
	case MX_WRITES_LDS: lds_spans(m, x); break;
	case MX_COPIES: copied_spans(m, x); break;
	}
}

/* ---- an operation that has landed ---- */

/* False: it has no spans here. */
static bool effect_of(const struct mx_memop *m, mx_together counted, mx_access_effect *effect) {
	switch (counted) {
	case MX_TOGETHER_LOAD: *effect = MX_READS; break;
	case MX_TOGETHER_STORE: *effect = MX_WRITES; break;
	case MX_TOGETHER_LDS_DMA: *effect = MX_COPIES; break;
	case MX_TOGETHER_LDS_READ: *effect = MX_READS_LDS; break;
	case MX_TOGETHER_LDS_WRITE: *effect = MX_WRITES_LDS; break;
	default: return false;
	}
	return !m->extents && m->clean;
}

static size_t bytes_of(const struct mx_span *span, unsigned n) {
	size_t bytes = 0;
	for (unsigned i = 0; i < n; i++)
		bytes += span[i].bytes;
	return bytes;
}

static void set_extent(struct mx_access *a, const struct mx_memop *m, const struct mx_span *span) {
	const struct mx_span *last = span + a->n - 1;
	bool lds = a->effect == MX_READS_LDS || a->effect == MX_WRITES_LDS;
	bool copies = a->effect == MX_COPIES;
	if (a->n && (lds || copies)) {
		a->lds_from = copies ? span->to : (uint32_t)span->at;
		a->lds_to = (copies ? last->to : (uint32_t)last->at) + last->bytes;
	}
	a->gapless = bytes_of(span, a->n) == a->lds_to - a->lds_from;
	if (!lds && m->in_range) {
		a->from = m->from;
		a->to = m->to;
	}
}

/* What a region has that this launch has not changed follows from its version. */
static void set_version(struct mx_wave *w, struct mx_access *a) {
	if (a->effect == MX_WRITES || a->from == a->to)
		return;
	a->region = mx_memory_region(w, a->from, a->to - a->from);
	a->version = mx_memory_version(w->group->run, a->region);
}

static void take_image(const struct mx_group *g, const struct mx_access *a, uint8_t *image) {
	bool lds = a->effect == MX_READS_LDS || a->effect == MX_WRITES_LDS;
	uintptr_t base = lds ? (uintptr_t)g->lds : 0;
	if (a->effect == MX_COPIES)
		memcpy(image, g->lds + a->lds_from, a->lds_to - a->lds_from);
	else
		for (unsigned i = 0; i < a->n; image += a->span[i++].bytes)
			memcpy(image, mx_place(base, a->span[i].at), a->span[i].bytes);
}

struct mx_access *mx_access_of(struct mx_wave *w, const struct mx_memop *m, mx_together counted) {
	struct mx_access *a, x = { .counted = counted };
	struct spans spans = { .n = 0 };
	if (!effect_of(m, counted, &x.effect))
		return NULL;
	find_spans(m, x.effect, &spans);
	x.n = spans.n;
	set_extent(&x, m, spans.span);
	set_version(w, &x);
	bool has_image = x.effect != MX_COPIES || (x.gapless && x.version);
	size_t head = sizeof x + x.n * sizeof *spans.span;
	x.size = head + (has_image ? bytes_of(spans.span, x.n) : 0);
	if (!(a = malloc(x.size)))
		return NULL;
	*a = x;
	memcpy(a->span, spans.span, x.n * sizeof *spans.span);
	if (has_image) {
		take_image(w->group, a, (uint8_t *)a + head);
		a->image = (uint8_t *)a + head;
	}
	return a;
}

/* ---- landing ---- */

/* Whether bytes at `base` are the image. */
static bool is_image(uintptr_t base, const struct mx_access *a) {
	return MX_BY_STEP(mx_spans_are)(base, a->span, a->n, a->image);
}

static bool lds_is_written(const struct mx_group *g, const struct mx_access *a) {
	return mx_lds_is_clean(g, a->lds_from, a->lds_to) ||
	       MX_BY_STEP(mx_spans_all)((uintptr_t)g->lds_unwritten, a->span, a->n, 0);
}

static void set_written(const struct mx_group *g, const struct mx_access *a) {
	if (mx_lds_is_known_clean(g, a->lds_from, a->lds_to))
		return;
	if (a->gapless)
		memset(g->lds_unwritten + a->lds_from, 0, a->lds_to - a->lds_from);
	else if (a->effect == MX_WRITES_LDS)
		MX_BY_STEP(mx_spans_set)((uintptr_t)g->lds_unwritten, a->span, a->n, 0);
	else
		for (unsigned i = 0; i < a->n; i++)
			memset(g->lds_unwritten + a->span[i].to, 0, a->span[i].bytes);
	mx_lds_cleaned(g, a->lds_from, a->lds_to, a->gapless);
}

/* The bytes of memory that it reads. */
static bool is_written(struct mx_wave *w, const struct mx_access *a) {
	return a->from == a->to || mx_memory_spans_written(w, a->from, a->to, a->span, a->n);
}

/* Whether it reads what it has read, by the version of the region. */
static bool is_same(const struct mx_wave *w, const struct mx_access *a) {
	return a->version && mx_memory_version(w->group->run, a->region) == a->version;
}

static bool copy(struct mx_wave *w, const struct mx_access *a) {
	uint8_t *lds = w->group->lds;
	bool same = is_same(w, a);
	if (!same && !is_written(w, a))
		return false;
	if (same && a->image)
		memcpy(lds + a->lds_from, a->image, a->lds_to - a->lds_from);
	else
		MX_BY_STEP(mx_spans_copy)(lds, a->span, a->n);
	return true;
}

static bool land(struct mx_wave *w, const struct mx_access *a) {
	uint8_t *lds = w->group->lds;
	switch (a->effect) {
	case MX_READS: return is_same(w, a) || (is_image(0, a) && is_written(w, a));
	case MX_READS_LDS: return is_image((uintptr_t)lds, a) && lds_is_written(w->group, a);
	case MX_WRITES: mx_memory_write_spans(w, a->span, a->n, a->image); return true;
	case MX_COPIES:
		if (!copy(w, a))
			return false;
		break;
	case MX_WRITES_LDS:
		MX_BY_STEP(mx_spans_write)((uintptr_t)lds, a->span, a->n, a->image);
		break;
	}
	set_written(w->group, a);
	return true;
}

bool mx_access_land(struct mx_wave *w, const struct mx_access *a) {
	if (a->n && !land(w, a))
		return false;
	mx_count_together(w, a->counted);
	return true;
}
