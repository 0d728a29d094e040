/* Device memory by address: bounds, and which bytes are unwritten. */
#include <string.h>

#include "claims.h"
#include "device_memory.h"
#include "findings.h"
#include "pages.h"

static bool holds(const struct mx_region *r, uint64_t address, size_t bytes) {
	return address >= r->base && address - r->base <= r->size &&
	       bytes <= r->size - (address - r->base);
}

/* The last region that starts at or below the address; SIZE_MAX if there is none. */
static size_t region_below(const struct mx_memory *m, uint64_t address) {
	size_t low = 0, high = m->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (m->regions[mid].base <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low - 1;
}

static const struct mx_region *find_region(struct mx_run *run, uint64_t address, size_t bytes) {
	const struct mx_memory *m = &run->launch->memory;
	size_t i = region_below(m, address);
	if (i >= m->n || !holds(&m->regions[i], address, bytes))
		return NULL;
	run->last_region = i;
	return &m->regions[i];
}

/* Most accesses are to the region of the previous one. */
static inline const struct mx_region *region_of(struct mx_wave *w, uint64_t address, size_t bytes) {
	struct mx_run *run = w->group->run;
	const struct mx_memory *m = &run->launch->memory;
	if (run->last_region < m->n && holds(&m->regions[run->last_region], address, bytes))
		return &m->regions[run->last_region];
	return find_region(run, address, bytes);
}

/* The use of the absent buffer at an address; NULL: none is there. */
static const char *absent_at(uint64_t address) {
	static const char *const uses[] = {
#define MX_ABSENT(kind, use) use,
#include "../absent.def"
#undef MX_ABSENT
	};
	uint64_t i = (address - MX_ABSENT_BASE) >> 32;
	return i < MX_ABSENT_BUFFERS ? uses[i] : NULL;
}

/* What a wild address looks like. */
static const char *looks_like(uint64_t address) {
	uint64_t high = address >> 32, top = address >> 40;
	if (high == MX_LDS_FLAT_BASE >> 32)
		return ": a flat address of LDS";
	if (high == MX_SCRATCH_FLAT_BASE >> 32)
		return ": a flat address of scratch";
	if (address < 1 << 16)
		return ": a null pointer, or an offset without its base";
	if (!high)
		return ": a number of 32 bits, such as an offset without its base or half a "
		       "pointer";
	if (address >= (uint64_t)-1 << 40)
		return ": a negative number, such as an offset without its base";
	if (address >> 57)
		return ": more than 57 bits, so it is not an address";
	if (top == 0x55 || top == 0x56 || top == 0x7e || top == 0x7f) /* of Linux on x86-64 */
		return ": it looks like a pointer of the host program";
	return "";
}

/* Why no region holds the bytes: the distance to an allocation that an index may have missed. */
static struct mx_because why_outside(const struct mx_memory *m, uint64_t address) {
	enum { NEAR_SHIFT = 34 }; /* 2^32 elements of 4 bytes */
	size_t i = region_below(m, address), above = i + 1;
	uint64_t after = ~0ull, before = ~0ull;
	if (i < m->n && address - m->regions[i].base < m->regions[i].size)
		return MX_BECAUSE(ALLOCATION_END, address - m->regions[i].base, m->regions[i].size);
	if (i < m->n)
		after = address - m->regions[i].base - m->regions[i].size;
	if (above < m->n)
		before = m->regions[above].base - address;
	if (after <= before && !(after >> NEAR_SHIFT))
		return MX_BECAUSE(AFTER_ALLOCATION, after, m->regions[i].size);
	if (before < after && !(before >> NEAR_SHIFT))
		return MX_BECAUSE(BEFORE_ALLOCATION, before, m->regions[above].size);
	return MX_BECAUSE_OF(WILD_ADDRESS, looks_like(address));
}

static void report_fault(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                         size_t bytes, bool write) {
	const struct mx_memory *m = &w->group->run->launch->memory;
	size_t i = region_below(m, address);
	bool read_only = i < m->n && holds(&m->regions[i], address, bytes);
	mx_find_access(w, in, MX_FAULT, lane, address,
	               mx_finding_access_of(write, MX_SPACE_MEMORY, bytes),
	               absent_at(address) ? MX_BECAUSE_OF(ABSENT_BUFFER, absent_at(address))
	               : read_only        ? MX_BECAUSE(READ_ONLY, address - m->regions[i].base)
	                                  : why_outside(m, address));
}

/* The union of the flags of several states. */
static uint32_t any_of(const uint8_t *state, size_t bytes) {
	uint32_t all = 0, dword;
	for (; bytes >= 4; bytes -= 4, state += 4) {
		memcpy(&dword, state, 4);
		all |= dword;
	}
	for (; bytes; bytes--)
		all |= *state++;
	all |= all >> 16;
	return (all | all >> 8) & 0xff;
}

/* While several threads run, a group must claim bytes before it accesses them. */
static bool claimed(struct mx_wave *w, const struct mx_region *r, uint64_t address, size_t bytes,
                    bool write) {
	struct mx_run *run = w->group->run;
	return !run->worker || mx_shadow_claim(w, (size_t)(r - run->launch->memory.regions),
	                                       address - r->base, bytes, write);
}

/* While several threads run, the states of a region that they write may change at any time. */
static bool pages_have(struct mx_run *run, const struct mx_region *r, mx_pages_kind kind,
                       uint64_t from, uint64_t to) {
	struct mx_pages *p = run->pages ? &run->pages[r - run->launch->memory.regions] : NULL;
	return p && !(run->worker && p->stored) &&
	       mx_pages_have(p, r, kind, from - r->base, to - r->base);
}

/* Whether bytes of a region are in a guard. */
static bool in_guard(struct mx_wave *w, const struct mx_region *r, uint64_t address, size_t bytes) {
	enum { FEW = 16 };
	bool plain = bytes > FEW &&
	             pages_have(w->group->run, r, MX_PAGES_PLAIN, address, address + bytes);
	return !plain && any_of(r->state + (address - r->base), bytes) & MX_GUARD;
}

bool mx_memory_is_plain(struct mx_wave *w, uint64_t address, size_t bytes, bool write) {
	const struct mx_region *r = region_of(w, address, bytes);
	return r && !(write && r->read_only) && claimed(w, r, address, bytes, write) &&
	       !in_guard(w, r, address, bytes);
}

bool mx_memory_check(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     size_t bytes, bool write) {
	const struct mx_region *r = region_of(w, address, bytes);
	if (!r || (write && r->read_only)) {
		report_fault(w, in, lane, address, bytes, write);
		return false;
	}
	if (!claimed(w, r, address, bytes, write))
		return false;
	if (in_guard(w, r, address, bytes))
		mx_find_access(w, in, write ? MX_BOUNDS_WRITE : MX_BOUNDS_READ, lane, address,
		               mx_finding_access_of(write, MX_SPACE_MEMORY, bytes),
		               MX_BECAUSE(IN_GUARD, address - r->base));
	return true;
}

/* The states of bytes that were checked. */
static uint8_t *state_of(struct mx_wave *w, uint64_t address) {
	const struct mx_region *r = region_of(w, address, 1);
	return r->state + (address - r->base);
}

/* The unwritten bits of a dword, from the states of its bytes. */
static uint32_t unwritten_bits(uint32_t state) {
	return (~state & MX_WRITTEN * 0x01010101u) / MX_WRITTEN * 0xff;
}

enum { WATCHED = MX_WATCH_GLOBAL | MX_WATCH_CONSTANT };

__attribute__((cold)) static void watch(const struct mx_wave *w, const struct mx_inst *in,
                                        struct mx_touch t) {
	t.space = t.lane < 0 ? MX_WATCH_CONSTANT : MX_WATCH_GLOBAL;
	if (w->wanted & t.space)
		mx_watch_access(w, in, t);
}

uint32_t mx_memory_read(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                        unsigned bytes, uint32_t *unwritten) {
	const uint8_t *from = state_of(w, address);
	uint32_t value = 0, state = ~0u;
	if (bytes == 4) {
		memcpy(&value, (const void *)(uintptr_t)address, 4);
		memcpy(&state, from, 4);
	} else {
		memcpy(&value, (const void *)(uintptr_t)address, bytes);
		memcpy(&state, from, bytes);
	}
	*unwritten = unwritten_bits(state);
	if (w->wanted & WATCHED)
		watch(w, in,
		      (struct mx_touch){ 0, false, false, lane, address, bytes, value,
		                         *unwritten });
	return value;
}

/* The states of bytes of a region, as from address 0 on. */
static uintptr_t states_of(const struct mx_region *r) {
	return (uintptr_t)r->state - (uintptr_t)r->base;
}

/* Before bytes of a region are written. */
static inline void note_store(struct mx_run *run, const struct mx_region *r, uint64_t offset,
                              unsigned bytes, uint32_t unwritten) {
	if (!run->pages)
		return;
	struct mx_pages *p = &run->pages[r - run->launch->memory.regions];
	p->stored = true;
	if (unwritten)
		mx_pages_changed(p, MX_PAGES_WRITTEN, offset, offset + bytes, true);
}

static void note_written(uint8_t *state, unsigned bytes, uint32_t unwritten) {
	for (unsigned i = 0; i < bytes; i++)
		state[i] =
			(state[i] & ~MX_WRITTEN) | (unwritten >> (8 * i) & 0xff ? 0 : MX_WRITTEN);
}

void mx_memory_write(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                     unsigned bytes, uint32_t value, uint32_t unwritten) {
	const struct mx_region *r = region_of(w, address, bytes);
	uint8_t *state = r->state + (address - r->base);
	note_store(w->group->run, r, address - r->base, bytes, unwritten);
	if (bytes == 4) {
		memcpy((void *)(uintptr_t)address, &value, 4);
		note_written(state, 4, unwritten);
	} else {
		memcpy((void *)(uintptr_t)address, &value, bytes);
		note_written(state, bytes, unwritten);
	}
	if (w->wanted & WATCHED)
		watch(w, in,
		      (struct mx_touch){ 0, true, false, lane, address, bytes, value, unwritten });
}

static bool exchange(uint64_t address, unsigned bytes, uint64_t old, uint64_t value) {
	uint32_t old32 = (uint32_t)old;
	if (bytes == 4)
		return __atomic_compare_exchange_n((uint32_t *)(uintptr_t)address, &old32,
		                                   (uint32_t)value, false, __ATOMIC_SEQ_CST,
		                                   __ATOMIC_SEQ_CST);
	return __atomic_compare_exchange_n((uint64_t *)(uintptr_t)address, &old, value, false,
	                                   __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

bool mx_memory_exchange(struct mx_wave *w, const struct mx_inst *in, int lane, uint64_t address,
                        unsigned bytes, uint64_t old, uint64_t value, uint64_t unwritten) {
	const struct mx_region *r = region_of(w, address, bytes);
	uint8_t *state = r->state + (address - r->base);
	note_store(w->group->run, r, address - r->base, bytes,
	           (uint32_t)(unwritten | unwritten >> 32));
	if (!exchange(address, bytes, old, value))
		return false;
	for (unsigned at = 0; at < bytes; at += 4) {
		uint32_t v = (uint32_t)(value >> 8 * at), u = (uint32_t)(unwritten >> 8 * at);
		note_written(state + at, 4, u);
		if (w->wanted & WATCHED)
			watch(w, in,
			      (struct mx_touch){ 0, true, false, lane, address + at, 4, v, u });
	}
	return true;
}

/* ---- all lanes of a wave ---- */

bool mx_memory_check_wave(struct mx_wave *w, const struct mx_lane_bytes *x, bool write,
                          bool *stop) {
	struct mx_run *run = w->group->run;
	const struct mx_region *r = region_of(w, x->from, x->to - x->from);
	if (!r || (write && r->read_only))
		return false;
	if (run->worker &&
	    !mx_shadow_claim_wave(w, (size_t)(r - run->launch->memory.regions), x, write)) {
		*stop = true;
		return false;
	}
	return pages_have(run, r, MX_PAGES_PLAIN, x->from, x->to) ||
	       !mx_lane_bytes_any(states_of(r), x, MX_GUARD);
}

bool mx_memory_is_written(struct mx_wave *w, const struct mx_lane_bytes *x) {
	const struct mx_region *r = region_of(w, x->from, x->to - x->from);
	return pages_have(w->group->run, r, MX_PAGES_WRITTEN, x->from, x->to) ||
	       mx_lane_bytes_all(states_of(r), x, MX_WRITTEN);
}

bool mx_memory_bytes_written(struct mx_wave *w, uint64_t address, size_t bytes) {
	const struct mx_region *r = region_of(w, address, bytes);
	const uint8_t *state = r->state + (address - r->base);
	if (pages_have(w->group->run, r, MX_PAGES_WRITTEN, address, address + bytes))
		return true;
	unsigned all = MX_WRITTEN;
	for (size_t i = 0; i < bytes; i++)
		all &= state[i];
	return all;
}

void mx_memory_write_wave(struct mx_wave *w, const struct mx_lane_bytes *x, const mx_vreg *row) {
	const struct mx_region *r = region_of(w, x->from, x->to - x->from);
	note_store(w->group->run, r, 0, 0, 0);
	mx_lane_rows_store(0, x, row);
	mx_lane_bytes_set(states_of(r), x, MX_WRITTEN);
}

size_t mx_memory_region(struct mx_wave *w, uint64_t address, size_t bytes) {
	return (size_t)(region_of(w, address, bytes) - w->group->run->launch->memory.regions);
}

bool mx_memory_spans_written(struct mx_wave *w, uint64_t from, uint64_t to,
                             const struct mx_span *span, unsigned n) {
	const struct mx_region *r = region_of(w, from, to - from);
	return pages_have(w->group->run, r, MX_PAGES_WRITTEN, from, to) ||
	       MX_BY_STEP(mx_spans_all)(states_of(r), span, n, MX_WRITTEN);
}

void mx_memory_write_spans(struct mx_wave *w, const struct mx_span *span, unsigned n,
                           const uint8_t *bytes) {
	const struct mx_region *r = region_of(w, span->at, span->bytes);
	note_store(w->group->run, r, 0, 0, 0);
	MX_BY_STEP(mx_spans_write)(0, span, n, bytes);
	MX_BY_STEP(mx_spans_set)(states_of(r), span, n, MX_WRITTEN);
}

void mx_memory_write_bytes(struct mx_wave *w, uint64_t address, const void *from, size_t bytes) {
	const struct mx_region *r = region_of(w, address, bytes);
	uint8_t *state = r->state + (address - r->base);
	note_store(w->group->run, r, 0, 0, 0);
	memcpy((void *)(uintptr_t)address, from, bytes);
	for (size_t i = 0; i < bytes; i++)
		state[i] |= MX_WRITTEN;
}

void mx_check_given(struct mx_wave *w, const struct mx_inst *in, uint64_t address, size_t bytes) {
	const struct mx_launch *l = w->group->run->launch;
	if (address < l->kernarg + l->kernarg_bytes && address + bytes > l->kernarg + l->given)
		mx_assume(w, in, 0, MX_ASSUMES_NO_ARGUMENT);
}
