/* Conflicts in LDS and device memory: two accesses to a byte, one of them a write, and no order. */
#include <stdio.h>
#include <string.h>

#include "ds.h"
#include "order.h"
#include "vmem.h"

typedef enum { READ, WRITE, ATOMIC } kind;

/* Bytes that one lane of an operation touches. */
struct range {
	struct mx_wave *w;
	const struct mx_inst *in;
	const struct mx_order_group *order;
	uint32_t group; /* as in a cell */
	mx_access me;
	mx_access over; /* one of the workgroup that is over, as neighbours often have it */
	kind kind;
	bool lds;
	int lane;
	uint64_t at;
	unsigned bytes;
	/* What a write leaves at `base` and behind it: the lane's part of these rows, or what
	 * LDS-DMA loads from an address. */
	uint64_t base;
	const mx_vreg *data;
	uint64_t loaded_from;
	void (*visit)(struct mx_wave *w, bool lds, uint64_t at); /* instead of all that */
};

/* What LDS-DMA leaves of what lies outside its buffer. */
static const mx_vreg zeros[4];

/* ---- order ---- */

/* Whether an earlier access of the same workgroup is over when `me` begins. */
static bool is_over(const struct mx_order_group *g, mx_access earlier, mx_access me) {
	unsigned stream = mx_access_stream(earlier), wave = mx_access_wave(earlier);
	const struct mx_order_wave *w = &g->wave[wave];
	if (wave != mx_access_wave(me))
		return mx_access_number(earlier) <= w->shared[stream];
	return mx_access_number(earlier) <= w->covered[stream] ||
	       (stream == mx_access_stream(me) && mx_stream_is_ordered(stream));
}

/* The same of this range; remembers the last answer. */
static bool is_over_for(struct range *r, mx_access earlier) {
	if (earlier == r->over)
		return true;
	if (!is_over(r->order, earlier, r->me))
		return false;
	r->over = earlier;
	return true;
}

/* FLAT in LDS: no source promises an order with the wave's other LDS operations, and compiled
 * code has no wait between them. */
static bool flat_beside_ds(const struct range *r, mx_access earlier) {
	unsigned a = mx_access_stream(earlier), b = mx_access_stream(r->me);
	bool ds = a == MX_STREAM_DS || b == MX_STREAM_DS;
	return r->lds && (a == MX_STREAM_SM || b == MX_STREAM_SM) && (a == b || ds) &&
	       mx_access_wave(earlier) == mx_access_wave(r->me);
}

static struct mx_written written(const struct range *r, uint64_t at, unsigned unit) {
	uint64_t offset = at - r->base;
	if (r->loaded_from)
		return (struct mx_written){ .kind = MX_LOADED,
			                    .value = (uint32_t)(r->loaded_from + offset) };
	if (!r->data)
		return (struct mx_written){ 0 };
	uint32_t v = r->data[offset / 4][r->lane < 0 ? 0 : r->lane];
	if (unit < 4)
		v = v >> 8 * (offset % 4) & ((1u << 8 * unit) - 1);
	return (struct mx_written){ .kind = MX_VALUE, .value = v };
}

static bool same_written(struct mx_written a, struct mx_written b) {
	return a.kind && a.kind == b.kind && a.value == b.value;
}

static const char *const words[] = { "reads", "writes", "changes" };

static const struct mx_inst *inst_of(const struct range *r, mx_access a) {
	return mx_program_at(r->w->group->run->launch->program, (a >> 32 & 0xffffff) * 4);
}

/* Whether the two meet because one of them waits for the other, or because both are atomic and one
 * at least does not simply overwrite; or whether a flag has told this wave that the other is over.
 */
static bool through_flags(const struct range *r, uint64_t at, mx_access earlier, uint32_t group,
                          kind was) {
	const bool *polls = r->w->group->run->order->flags.polls;
	bool sync = mx_access_is_sync(earlier);
	if (polls[r->in->offset / 4] || polls[inst_of(r, earlier)->offset / 4])
		return true;
	if (sync && mx_access_is_sync(r->me) && (was != WRITE || r->kind != WRITE))
		return true;
	return mx_order_knows(r->w, earlier, group) || (sync && mx_order_saw(r->w, r->lds, at));
}

static void conflict(const struct range *r, uint64_t at, mx_access earlier, uint32_t group,
                     kind was) {
	static const char *const has[] = { "read", "written", "changed" };
	bool other = group != r->group || mx_access_wave(earlier) != mx_access_wave(r->me);
	char what[96];
	if (flat_beside_ds(r, earlier) && group == r->group) {
		mx_order_doubt(r->w, r->in, "FLAT in LDS beside other LDS operations");
		return;
	}
	if (other && through_flags(r, at, earlier, group, was)) {
		mx_order_doubt_pair(r->w, r->in, inst_of(r, earlier),
		                    "order through atomics or flags is not followed");
		return;
	}
	snprintf(what, sizeof what, "%s a byte at %s0x%llx that is %s by", words[r->kind],
	         r->lds ? "LDS " : "", (unsigned long long)at, has[was]);
	mx_order_report(r->w, r->in, r->lds ? MX_RACE_LDS : MX_RACE_GLOBAL, r->lane, at, earlier,
	                group, what);
}

/* ---- what a cell has had before ---- */

/* Whether what comes behind a write may have another cache between: that of other waves, or of the
 * scalar and the vector units. */
static bool passes_caches(const struct range *r, mx_access write) {
	bool scalar = mx_access_stream(write) == MX_STREAM_SM;
	bool other = r->kind == READ && mx_access_wave(write) != mx_access_wave(r->me);
	return !r->lds && (other || scalar != (r->in->op->encoding == MX_SMEM));
}

static void check_caches(struct range *r, mx_access write) {
	if (passes_caches(r, write))
		mx_order_doubt(r->w, r->in,
		               r->kind == READ
		                       ? "reads what this launch wrote: caches are not followed"
		                       : "writes what the other cache may hold");
}

/* `same`: writes what the cell holds. */
static void check_write_of(struct range *r, uint64_t at, const struct mx_order_cell *c, bool same) {
	bool own = c->write_group == r->group;
	if (!c->write)
		return;
	if (c->write == r->me && own) {
		if (r->kind == WRITE && !same)
			mx_order_doubt(r->w, r->in, "lanes of one store write the same bytes");
	} else if (!own || !is_over_for(r, c->write)) {
		bool flags = mx_access_is_sync(c->write) && mx_access_is_sync(r->me);
		if (same && (flags || !c->written.alone))
			mx_order_doubt(r->w, r->in, "writes what is written there without order");
		else
			conflict(r, at, c->write, c->write_group, WRITE);
	} else
		check_caches(r, c->write);
}

static bool is_write(const struct range *r, mx_access a) {
	const struct mx_inst *in = inst_of(r, a);
	return in->op->flags & MX_STORE || (r->lds && in->mem.lds);
}

/* One of those that a cell keeps as its readers; false where it conflicts. */
static bool check_reader(struct range *r, uint64_t at, const struct mx_order_cell *c,
                         mx_access reader, kind was, bool same) {
	bool own = c->read_group == r->group;
	if (!reader || (own && (reader == r->me || is_over_for(r, reader))))
		return true;
	if (was == READ && c->written.several && is_write(r, reader))
		was = WRITE;
	if ((was == READ && r->kind == READ) || (was == WRITE && same))
		return true;
	conflict(r, at, reader, c->read_group, was);
	return false;
}

static void check_readers(struct range *r, uint64_t at, const struct mx_order_cell *c, kind was,
                          bool same) {
	if (!c->read_group)
		return;
	if (c->read_group != r->group || !c->readers) {
		check_reader(r, at, c, c->read, was, same);
		return;
	}
	for (unsigned i = 0; i < 2 * r->w->group->n_waves; i++)
		if (!check_reader(r, at, c, c->readers[i], was, same))
			return;
}

/* Whether who is behind this read is behind an earlier one. No less than all of the operations that
 * return in any order can be waited for. */
static bool covers(struct range *r, mx_access earlier) {
	return is_over_for(r, earlier) || (mx_access_wave(earlier) == mx_access_wave(r->me) &&
	                                   mx_access_stream(earlier) == mx_access_stream(r->me));
}

static mx_access *reader_of(struct mx_order_cell *c, mx_access a) {
	return &c->readers[2 * mx_access_wave(a) + (mx_access_stream(a) == MX_STREAM_SM)];
}

static void note_reader(struct range *r, struct mx_order_map *m, struct mx_order_cell *c,
                        mx_access reader) {
	if (!c->read_group) {
		c->read_group = r->group;
		c->read = reader;
	} else if (c->read_group != r->group) {
		c->read_group = MX_SEVERAL_GROUPS;
		return;
	} else if (!c->readers && covers(r, c->read))
		c->read = reader;
	else if (!c->readers) {
		c->readers = mx_order_readers(m);
		if (!c->readers) {
			r->w->group->run->out_of_memory = true;
			return;
		}
		*reader_of(c, c->read) = c->read;
	}
	if (c->readers)
		*reader_of(c, reader) = reader;
}

static void forget_readers(const struct mx_order_map *m, struct mx_order_cell *c) {
	c->read_group = 0;
	if (c->readers)
		memset(c->readers, 0, m->readers * sizeof *c->readers);
}

/* ---- writes of the same value ---- */

/* Whether all waves know that an access of this workgroup is over. */
static bool is_shared(const struct range *r, mx_access a) {
	return mx_access_number(a) <= r->order->wave[mx_access_wave(a)].shared[mx_access_stream(a)];
}

/* Whether a reader that a write stands behind may still be ahead for another wave. */
static bool is_own_reader(const struct range *r, const struct mx_order_cell *c, mx_access reader,
                          bool same) {
	return reader && !is_shared(r, reader) &&
	       !(same && c->written.several && is_write(r, reader));
}

/* Whether anything that this write stands behind may, so that it is no matter of values alone if
 * that wave writes the same. */
static bool stands_alone(const struct range *r, const struct mx_order_cell *c, bool same) {
	bool own = c->write && c->write_group == r->group;
	if (own && c->write == r->me && c->written.alone)
		return true;
	if (own && c->write != r->me && (!same || c->written.alone) && !is_shared(r, c->write))
		return true;
	if (c->read_group != r->group)
		return false;
	if (!c->readers)
		return is_own_reader(r, c, c->read, same);
	for (unsigned i = 0; i < 2 * r->w->group->n_waves; i++)
		if (is_own_reader(r, c, c->readers[i], same))
			return true;
	return false;
}

/* Of writes without order that leave the same the earlier ones stay as readers: they must be over,
 * too, before others. */
static void keep_write(struct range *r, struct mx_order_map *m, struct mx_order_cell *c) {
	if (c->write_group == r->group) {
		note_reader(r, m, c, c->write);
		return;
	}
	c->read = c->write;
	c->read_group = MX_SEVERAL_GROUPS;
}

static void note_write(struct range *r, struct mx_order_map *m, struct mx_order_cell *c,
                       struct mx_written now) {
	bool own = c->write_group == r->group, same = same_written(c->written, now);
	bool several =
		c->write && same && !(own && (c->write == r->me || is_over_for(r, c->write)));
	now.alone = stands_alone(r, c, same);
	now.several = several || (same && c->written.several);
	if (several)
		keep_write(r, m, c);
	else if (!now.several)
		forget_readers(m, c);
	c->write = r->me;
	c->write_group = r->group;
	c->written = now;
}

/* ---- one cell ---- */

/* Whatever is ordered behind this write is behind all that this write is behind. */
static void touch(struct range *r, struct mx_order_map *m, struct mx_order_cell *c, uint64_t at,
                  unsigned unit) {
	struct mx_written now = { 0 };
	if (r->kind == WRITE)
		now = written(r, at, unit);
	bool same = r->kind == WRITE && same_written(c->written, now);
	check_write_of(r, at, c, same);
	if (r->kind != READ || c->written.several)
		check_readers(r, at, c, READ, same);
	if (r->kind == READ)
		note_reader(r, m, c, r->me);
	else if (r->kind == WRITE)
		note_write(r, m, c, now);
}

/* Of two functions at one place the order matters. A cell keeps which one there was. */
static void check_function(const struct range *r, struct mx_order_cell *c) {
	struct mx_written function = { .kind = MX_VALUE,
		                       .value = (uint32_t)(uintptr_t)r->in->op->rmw };
	if (c->read_group && !same_written(c->written, function))
		mx_order_doubt(r->w, r->in, "atomics of several kinds, whose order matters");
	c->written = function;
}

/* Atomics are no conflict among themselves; here they are kept as readers are. */
static void touch_atomics(struct range *r, struct mx_order_map *m, struct mx_order_cell *c,
                          uint64_t at) {
	if (r->kind == ATOMIC) {
		check_function(r, c);
		note_reader(r, m, c, r->me);
		return;
	}
	check_readers(r, at, c, ATOMIC, false);
	if (c->read_group && !c->readers)
		check_caches(r, c->read);
	for (unsigned i = 0; c->read_group && c->readers && i < m->readers; i++)
		if (c->readers[i])
			check_caches(r, c->readers[i]);
	if (r->kind == WRITE)
		forget_readers(m, c);
}

/* ---- ranges ---- */

/* The largest cells that the range fills; dwords that are written may differ. */
static unsigned unit_of(const struct range *r) {
	unsigned largest = r->kind == WRITE && r->data && r->data != zeros ? 4 : 16;
	unsigned ends = (unsigned)(r->at | (r->at + r->bytes)) | largest;
	return ends & -ends;
}

static void walk(struct range *r, struct mx_order_map *m, bool atomics) {
	uint64_t at = r->at, end = at + r->bytes;
	unsigned unit = unit_of(r);
	while (at < end) {
		struct mx_order_page *p = mx_order_page(m, at, unit, !atomics || r->kind == ATOMIC);
		uint64_t stop = at / MX_ORDER_PAGE * MX_ORDER_PAGE + MX_ORDER_PAGE;
		stop = stop < end ? stop : end;
		if (!p && !atomics)
			r->w->group->run->out_of_memory = true;
		for (; p && at < stop; at += p->unit) {
			struct mx_order_cell *c = mx_order_cell(p, at);
			if (atomics)
				touch_atomics(r, m, c, at);
			else
				touch(r, m, c, at, p->unit);
		}
		at = stop;
	}
}

static void visit_range(const struct range *r) {
	for (uint64_t at = r->at & ~3ull; at < r->at + r->bytes; at += 4)
		r->visit(r->w, r->lds, at);
}

/* Instructions are fetched at any time; what is executed here is what there was at first. */
static void check_code(const struct range *r) {
	const struct mx_program *p = r->w->group->run->launch->program;
	uint64_t base = mx_program_base(p), end = base + 4 * mx_program_dwords(p);
	if (r->at < end && r->at + r->bytes > base)
		mx_order_doubt(r->w, r->in, "writes to its own code");
}

static void walk_range(struct range *r) {
	struct mx_order_group *g = r->w->group->order;
	struct mx_order *o = r->w->group->run->order;
	struct mx_order_map *m = r->lds ? &g->lds : &o->memory;
	struct mx_order_map *atomics = r->lds ? &g->lds_atomics : &o->atomics;
	if (r->lds && r->at + r->bytes > r->w->group->lds_bytes)
		return;
	if (r->visit) {
		visit_range(r);
		return;
	}
	if (!r->lds && r->kind != READ)
		check_code(r);
	walk(r, m, false);
	if (atomics->n || r->kind == ATOMIC)
		walk(r, atomics, true);
}

/* The dwords of `inside` of a lane's data, those that follow each other in one. */
static void walk_inside(struct range *r, uint64_t at, unsigned bytes, unsigned inside) {
	unsigned n = mx_dwords(bytes);
	r->base = at;
	for (unsigned k = 0; k < n; k++) {
		unsigned first = k;
		if (!(inside >> k & 1))
			continue;
		while (k + 1 < n && inside >> (k + 1) & 1)
			k++;
		unsigned end = k + 1 == n ? bytes : 4 * (k + 1);
		r->at = at + 4 * first;
		r->bytes = end - 4 * first;
		walk_range(r);
	}
}

/* ---- operations ---- */

static kind kind_of(const struct mx_op *op) {
	return op->rmw ? ATOMIC : op->flags & MX_STORE ? WRITE : READ;
}

mx_handler mx_x_ds_swizzle_b32, mx_x_ds_permute_b32, mx_x_ds_bpermute_b32, mx_x_ds_nop,
	mx_x_ds_append, mx_x_ds_consume;

static void access_ds(struct range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	unsigned n = mx_ds_dwords(m->in), l;
	if (op->handler == mx_x_ds_swizzle_b32 || op->handler == mx_x_ds_permute_b32 ||
	    op->handler == mx_x_ds_bpermute_b32 || op->handler == mx_x_ds_nop)
		return;
	r->lds = true;
	if (op->handler == mx_x_ds_append || op->handler == mx_x_ds_consume) {
		r->kind = ATOMIC;
		r->lane = -1;
		walk_inside(r, mx_ds_element(m, 0, 0), 4, m->inside[0]);
		return;
	}
	MX_FOR_LANES(l, m->exec)
	for (unsigned e = 0; e < mx_ds_elements(m->in); e++) {
		r->lane = (int)l;
		r->data = m->data + e * n;
		walk_inside(r, mx_ds_element(m, l, e), op->d, m->inside[l] >> e * n);
	}
}

/* What a lane loads or stores, which is not scratch: that is the lane's own. */
static void access_vector(struct range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	unsigned bytes = op->flags & MX_FORMAT ? mx_typed_bytes(m) : op->d, l;
	if (op->encoding == MX_FLAT && m->scratch & m->exec &&
	    r->w->group->run->launch->scratch_apart)
		mx_order_doubt(r->w, r->in, "FLAT in scratch, where that returns apart");
	r->lds = m->in_lds;
	r->data = op->flags & MX_FORMAT ? NULL : m->data;
	MX_FOR_LANES(l, m->exec & ~m->scratch) {
		bool whole = op->flags & MX_FORMAT || op->rmw;
		r->lane = (int)l;
		walk_inside(r, m->in_lds ? (uint32_t)m->address[l] : m->address[l], bytes,
		            whole ? (m->inside[l] ? ~0u : 0) : m->inside[l]);
	}
	if (!m->in->mem.lds)
		return;
	r->lds = true;
	r->kind = WRITE;
	MX_FOR_LANES(l, m->exec) {
		r->lane = (int)l;
		r->at = r->base = mx_lds_dma_place(m, l, &r->bytes);
		r->data = m->inside[l] ? NULL : zeros;
		r->loaded_from = m->inside[l] ? m->address[l] : 0;
		walk_range(r);
	}
}

static struct range range_of(struct mx_wave *w, const struct mx_inst *in, mx_access me) {
	return (struct range){ .w = w,
		               .in = in,
		               .order = w->group->order,
		               .group = (uint32_t)w->group->index + 1,
		               .me = me,
		               .lane = -1 };
}

static void access(struct range *r, const struct mx_memop *m) {
	const struct mx_op *op = m->in->op;
	r->kind = kind_of(op);
	if (op->encoding == MX_DS)
		access_ds(r, m);
	else if (op->encoding == MX_SMEM) {
		if (op->rmw || op->flags & (MX_LOAD | MX_STORE))
			walk_inside(r, m->address[0], 4u * m->inside[0], ~0u);
	} else if (op->encoding > MX_DS && op->flags)
		access_vector(r, m);
}

void mx_order_access(struct mx_wave *w, const struct mx_memop *m, mx_access me) {
	struct range r = range_of(w, m->in, me);
	access(&r, m);
}

void mx_order_places(struct mx_wave *w, const struct mx_memop *m,
                     void (*visit)(struct mx_wave *w, bool lds, uint64_t at)) {
	struct range r = range_of(w, m->in, 0);
	r.visit = visit;
	access(&r, m);
}

/* Over before the first instruction of its workgroup, at which it is shown. */
void mx_order_preload(struct mx_wave *w, uint64_t address, unsigned bytes) {
	const struct mx_program *p = w->group->run->launch->program;
	const struct mx_inst *in = mx_program_at(p, w->pc);
	if (!in || !in->op)
		return;
	struct range r = range_of(w, in, mx_access_of(w, in, MX_STREAM_SM, 0));
	r.kind = READ;
	walk_inside(&r, address, bytes, ~0u);
}
