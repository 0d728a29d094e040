/* Conflicts in LDS and device memory: two accesses to a byte, at least one a write, without order.
 */
#include <string.h>

#include "lds_barriers.h"
#include "summary.h"
#include "wave_sync.h"

/* ---- order ---- */

/* What an access goes through. */
static mx_path path_of(const struct mx_race_range *r, mx_access a) {
	return mx_race_stream(r->w, mx_access_stream(a))->path;
}

static bool are_both(const struct mx_race_range *r, mx_access earlier, mx_path path) {
	return path_of(r, earlier) == path && path_of(r, r->me) == path;
}

/* Whether the operations of a wave that are not waited for take effect in the order of issue: those
 * of a stream that is in order, and vector memory operations in device memory [LLVM "Memory Model
 * gfx12", wavefront scope]. */
static bool is_in_order(const struct mx_race_range *r, mx_access earlier) {
	unsigned stream = mx_access_stream(earlier);
	if (stream != mx_access_stream(r->me))
		return !r->lds && are_both(r, earlier, MX_PATH_MEMORY);
	if (mx_race_stream(r->w, stream)->order != MX_IN_ORDER)
		return false;
	if (path_of(r, earlier) == MX_PATH_ASYNC)
		mx_race_assume(mx_race_analysis_of(r->w->group->run), MX_PROOF_TENSOR_QUEUE);
	return true;
}

/* Whether an earlier access of the same workgroup is over when this one begins. */
static bool is_over(const struct mx_race_range *r, mx_access earlier) {
	unsigned stream = mx_access_stream(earlier), wave = mx_access_wave(earlier);
	const struct mx_race_wave *w = r->order->wave[wave];
	if (mx_access_number(earlier) <= r->past->wave[wave].covered[stream])
		return true;
	return wave == mx_access_wave(r->me) &&
	       (mx_access_number(earlier) <= w->covered[stream] || is_in_order(r, earlier));
}

/* Whether the L1 of the workgroup orders it before this one: it was issued before a barrier that
 * this wave has waited for. A proof that uses this assumes one L1; see l1.c. */
static bool is_before_in_l1(const struct mx_race_range *r, mx_access earlier) {
	const struct mx_race_past_wave *w = &r->past->wave[mx_access_wave(earlier)];
	struct mx_run *run = r->w->group->run;
	bool before = mx_has_one_l1(run) && !r->lds && are_both(r, earlier, MX_PATH_MEMORY) &&
	              mx_access_number(earlier) <= w->issued[mx_access_stream(earlier)];
	if (before)
		mx_race_assume(mx_race_analysis_of(run), MX_PROOF_ONE_L1);
	return before;
}

/* Remembers the last one that is over. */
bool mx_race_is_over_for(struct mx_race_range *r, mx_access earlier) {
	if (earlier == r->last_over)
		return true;
	if (!is_over(r, earlier))
		return is_before_in_l1(r, earlier);
	r->last_over = earlier;
	return true;
}

/* FLAT in LDS: no source promises an order with other LDS operations of the wave, and compiled code
 * has no wait between them. */
static bool flat_beside_ds(const struct mx_race_range *r, mx_access earlier) {
	mx_path a = path_of(r, earlier), b = path_of(r, r->me);
	bool ds = a == MX_PATH_LDS || b == MX_PATH_LDS;
	return r->lds && (a == MX_PATH_SCALAR || b == MX_PATH_SCALAR) && (a == b || ds) &&
	       mx_access_wave(earlier) == mx_access_wave(r->me);
}

static struct mx_written written(const struct mx_race_range *r, uint64_t at, unsigned unit) {
	uint64_t offset = at - r->base;
	if (r->loaded.kind)
		return (struct mx_written){ .kind = r->loaded.kind,
			                    .value = r->loaded.value + offset };
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

static const struct mx_inst *inst_of(const struct mx_race_range *r, mx_access a) {
	return mx_program_at(r->w->group->run->launch->program, mx_access_offset(a));
}

/* Whether one of the two accesses polls, or is an atomic and the other a load that a
 * compare-and-swap verifies. */
static bool tolerates(const struct mx_race_range *r, mx_access earlier, mx_race_kind was) {
	const struct mx_wave_sync *sync = mx_race_analysis_of(r->w->group->run)->sync.wave_sync;
	uint32_t me = r->in->offset / 4, other = inst_of(r, earlier)->offset / 4;
	return sync->polls[me] || sync->polls[other] ||
	       (sync->verified[me] && was == MX_RACE_ATOMIC) ||
	       (sync->verified[other] && r->kind == MX_RACE_ATOMIC);
}

/* Whether the two accesses are no race because waves synchronise through memory: one of them
 * tolerates any order; or both are atomics or flags, and not both plain writes; or one happened
 * before the other. */
static bool is_synchronised(const struct mx_race_range *r, mx_access earlier, uint32_t group,
                            mx_race_kind was) {
	if (tolerates(r, earlier, was))
		return true;
	if (mx_access_is_sync(earlier) && mx_access_is_sync(r->me) &&
	    (was != MX_RACE_WRITE || r->kind != MX_RACE_WRITE))
		return true;
	return mx_race_happened_before(r->w, earlier, group, r->me, r->lds);
}

/* Whether they are none because this wave has read the last write to the dword. */
static bool is_acquired(const struct mx_race_range *r, uint64_t at, mx_access earlier,
                        mx_race_kind was) {
	return (mx_access_is_sync(earlier) || was != MX_RACE_READ) &&
	       mx_race_acquired_last(r->w, r->lds, at);
}

/* Whether another access runs beside this one. A copy that its wave issued does, as another wave.
 */
static bool runs_beside(const struct mx_race_range *r, mx_access earlier, uint32_t group) {
	return group != r->group || mx_access_wave(earlier) != mx_access_wave(r->me) ||
	       path_of(r, earlier) == MX_PATH_ASYNC;
}

/* This access meets what a write left in another cache. */
static void doubt_caches(struct mx_race_range *r) {
	mx_race_doubt(r->w, r->in,
	              r->kind == MX_RACE_READ ? MX_DOUBT_CACHE_READ : MX_DOUBT_CACHE_WRITE);
}

/* Two accesses that are no race because waves synchronise. They may be in another order, unless it
 * is the barrier of a cluster that orders them; but its workgroups have caches of their own. */
static void doubt_synchronised(struct mx_race_range *r, mx_access earlier, uint32_t group,
                               mx_race_kind was) {
	const struct mx_wave_sync *sync = mx_race_analysis_of(r->w->group->run)->sync.wave_sync;
	if (sync->flags || !mx_race_happened_before(r->w, earlier, group, r->me, r->lds))
		mx_race_doubt_pair(r->w, r->in, inst_of(r, earlier), MX_DOUBT_FLAGS);
	else if (!r->lds && was != MX_RACE_READ)
		doubt_caches(r);
}

/* Reports a finding, unless something else orders the two accesses. Returns whether it did. */
static bool conflict(struct mx_race_range *r, uint64_t at, mx_access earlier, uint32_t group,
                     mx_race_kind was) {
	if (flat_beside_ds(r, earlier) && group == r->group) {
		mx_race_doubt(r->w, r->in, MX_DOUBT_FLAT_LDS);
		return false;
	}
	if (group == r->group && mx_lds_barrier_has_both(r, at, inst_of(r, earlier), was))
		return false;
	if (runs_beside(r, earlier, group) &&
	    (is_synchronised(r, earlier, group, was) || is_acquired(r, at, earlier, was))) {
		doubt_synchronised(r, earlier, group, was);
		return false;
	}
	mx_race_report(r->w, r->in, r->lane, r->lds, at, r->kind, earlier, group, was, false);
	r->reported = true;
	return true;
}

/* By happens-before alone, which is transitive. The first doubt names the two instructions that the
 * first cell has. */
bool mx_race_is_ordered(struct mx_race_range *r, mx_access earlier) {
	const struct mx_race_analysis *o = mx_race_analysis_of(r->w->group->run);
	return r->lds && o->sync.wave_sync->any && (o->proof.doubt || !o->sync.wave_sync->flags) &&
	       !flat_beside_ds(r, earlier) && runs_beside(r, earlier, r->group) &&
	       mx_race_happened_before(r->w, earlier, r->group, r->me, r->lds);
}

/* ---- earlier accesses of a cell ---- */

bool mx_race_passes_caches(const struct mx_race_range *r, mx_access write) {
	bool scalar = path_of(r, write) == MX_PATH_SCALAR;
	bool other = r->kind == MX_RACE_READ && mx_access_wave(write) != mx_access_wave(r->me);
	bool copied = path_of(r, write) == MX_PATH_ASYNC;
	if (!r->lds && r->kind == MX_RACE_READ && copied != (path_of(r, r->me) == MX_PATH_ASYNC))
		mx_race_assume(mx_race_analysis_of(r->w->group->run), MX_PROOF_COPY_CACHE);
	return !r->lds && (other || scalar != (r->in->op->encoding == MX_SMEM));
}

static void check_caches(struct mx_race_range *r, mx_access write) {
	if (mx_race_passes_caches(r, write))
		doubt_caches(r);
}

/* Whether concurrent writes of the same contents leave them under every schedule. Accesses before
 * the earlier write come before this one, too: a barrier of the workgroup stands between; of
 * several workgroups, if there were none. */
static bool is_same_always(const struct mx_race_range *r, const struct mx_race_cell *c) {
	bool vector = are_both(r, c->write, MX_PATH_MEMORY);
	if (mx_access_is_sync(c->write) || mx_access_is_sync(r->me))
		return false;
	return c->write_group == r->group ? r->lds || vector : c->written.first;
}

/* `same`: this access writes the contents that the cell has. */
static void check_write_of(struct mx_race_range *r, uint64_t at, const struct mx_race_cell *c,
                           bool same) {
	bool own = c->write_group == r->group;
	if (!c->write)
		return;
	if (c->write == r->me && own) {
		if (r->kind == MX_RACE_WRITE && !same)
			mx_race_doubt(r->w, r->in, MX_DOUBT_ONE_STORE);
	} else if (!own || !mx_race_is_over_for(r, c->write)) {
		bool flags = mx_access_is_sync(c->write) && mx_access_is_sync(r->me);
		if (same && (flags || !c->written.own_wait)) {
			if (!is_same_always(r, c))
				mx_race_doubt(r->w, r->in, MX_DOUBT_SAME_VALUE);
		} else
			conflict(r, at, c->write, c->write_group, MX_RACE_WRITE);
	} else
		check_caches(r, c->write);
}

static bool is_write(const struct mx_race_range *r, mx_access a) {
	const struct mx_inst *in = inst_of(r, a);
	return in->op->flags & (r->lds && in->mem.lds ? MX_LOAD : MX_STORE);
}

/* Whether LDS-DMA loads from memory that the launch has not written so far. */
static bool source_is_constant(const struct mx_race_range *r, uint64_t at) {
	struct mx_race_map *memory = &mx_race_analysis_of(r->w->group->run)->memory;
	uint64_t from = r->loaded.value + at - r->base;
	const struct mx_race_page *p = mx_race_page(memory, from, 16, false);
	return !p || !mx_summary_has(p, from, false);
}

/* Whether LDS-DMA leaves a reader's bytes as they are, in whatever order the two come: it loads the
 * same source again. The load before them was ordered for all waves after what was there earlier.
 * Equal values of stores may be a coincidence. */
static bool rewrites(const struct mx_race_range *r, uint64_t at, const struct mx_race_cell *c,
                     uint32_t group, bool same) {
	return same && r->loaded.kind && group == r->group && c->write_group == r->group &&
	       !c->written.own_wait && source_is_constant(r, at);
}

/* Checks one reader of a cell; returns false if it conflicts. */
static bool check_reader(struct mx_race_range *r, uint64_t at, const struct mx_race_cell *c,
                         mx_access reader, uint32_t group, mx_race_kind was, bool same) {
	bool own = group == r->group;
	if (!reader || (own && (reader == r->me || mx_race_is_over_for(r, reader))))
		return true;
	if (was == MX_RACE_READ && c->written.concurrent && is_write(r, reader))
		was = MX_RACE_WRITE;
	if ((was == MX_RACE_READ && r->kind == MX_RACE_READ) || (was == MX_RACE_WRITE && same))
		return true;
	if (was == MX_RACE_READ && rewrites(r, at, c, group, same)) {
		mx_race_doubt(r->w, r->in, MX_DOUBT_SAME_VALUE);
		mx_race_report(r->w, r->in, r->lane, r->lds, at, r->kind, reader, group, was, true);
		r->rewrites = true;
		return true;
	}
	return !conflict(r, at, reader, group, was);
}

static bool is_list(const struct mx_race_map *m, const struct mx_race_cell *c) {
	return m->lists && c->read_group == MX_SEVERAL_GROUPS;
}

/* The reader that stands for those of another workgroup, or of several. */
static mx_access one_reader(const struct mx_race_map *m, const struct mx_race_cell *c) {
	bool one_group = c->readers && c->read_group != MX_SEVERAL_GROUPS;
	return one_group ? mx_race_first_reader(m, c) : c->read;
}

static void check_readers(struct mx_race_range *r, const struct mx_race_map *m, uint64_t at,
                          const struct mx_race_cell *c, mx_race_kind was, bool same) {
	if (!c->read_group)
		return;
	if (is_list(m, c)) {
		for (const struct mx_race_reader *l = c->list; l; l = l->next)
			check_reader(r, at, c, l->access, l->group, was, same);
		return;
	}
	if (c->read_group != r->group || !c->readers) {
		check_reader(r, at, c, one_reader(m, c), c->read_group, was, same);
		return;
	}
	for (unsigned i = 0; i < m->slots * r->w->group->n_waves; i++)
		if (!check_reader(r, at, c, c->readers[i], r->group, was, same))
			return;
}

/* Operations that return in any order can only be waited for all together. */
bool mx_race_replaces(struct mx_race_range *r, mx_access earlier) {
	return earlier == r->me || mx_race_is_over_for(r, earlier) ||
	       (mx_access_wave(earlier) == mx_access_wave(r->me) &&
	        mx_access_stream(earlier) == mx_access_stream(r->me));
}

static mx_access *reader_of(const struct mx_race_map *m, struct mx_race_cell *c, mx_access a) {
	return &c->readers[mx_race_reader_slot(m, a)];
}

static bool add_to_list(struct mx_race_map *m, struct mx_race_cell *c, uint32_t group,
                        mx_access reader) {
	const struct mx_race_reader *more = mx_race_add_reader(m, c->list, group, reader);
	if (more)
		c->list = more;
	return more;
}

/* Turns the readers of one workgroup into a list. */
static bool make_list(struct mx_race_map *m, struct mx_race_cell *c) {
	uint32_t group = c->read_group;
	mx_access one = c->read;
	c->read_group = MX_SEVERAL_GROUPS;
	c->list = NULL;
	bool all = c->readers || !group || add_to_list(m, c, group, one);
	for (unsigned i = 0; c->readers && i < m->readers; i++)
		if (c->readers[i])
			all &= add_to_list(m, c, group, c->readers[i]);
	return all;
}

bool mx_race_list_reader(struct mx_race_map *m, struct mx_race_cell *c, uint32_t group,
                         mx_access reader) {
	bool is = c->read_group == MX_SEVERAL_GROUPS || make_list(m, c);
	return add_to_list(m, c, group, reader) && is;
}

static void note_other_group(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                             uint32_t group, mx_access reader) {
	if (m->lists && !mx_race_list_reader(m, c, group, reader))
		r->w->group->run->out_of_memory = true;
	c->read_group = MX_SEVERAL_GROUPS;
}

static void note_reader(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                        mx_access reader) {
	if (!c->read_group) {
		c->read_group = r->group;
		c->read = reader;
	} else if (c->read_group != r->group) {
		if (!m->lists)
			c->read = one_reader(m, c);
		note_other_group(r, m, c, r->group, reader);
		return;
	} else if (!c->readers && mx_race_replaces(r, c->read))
		c->read = reader;
	else if (!c->readers) {
		c->readers = mx_race_readers(m);
		if (!c->readers) {
			r->w->group->run->out_of_memory = true;
			return;
		}
		*reader_of(m, c, c->read) = c->read;
	}
	if (c->readers)
		*reader_of(m, c, reader) = reader;
}

static void forget_readers(const struct mx_race_map *m, struct mx_race_cell *c) {
	c->read_group = 0;
	if (c->readers)
		memset(c->readers, 0, m->readers * sizeof *c->readers);
}

/* ---- writes of the same value ---- */

/* Whether an access of this workgroup is over for all waves. */
static bool is_over_for_all(const struct mx_race_range *r, mx_access a) {
	return mx_race_is_over_for_all(r->w->group, a) || is_before_in_l1(r, a);
}

/* Whether this write is ordered after a reader, and another wave's write may not be. */
static bool is_after_reader(const struct mx_race_range *r, const struct mx_race_cell *c,
                            mx_access reader, bool same) {
	return reader && !is_over_for_all(r, reader) &&
	       !(same && c->written.concurrent && is_write(r, reader));
}

/* Whether this write is ordered after an access by its own wave's wait only. Then a write of the
 * same contents by another wave is a conflict. */
static bool is_after_own_wait(const struct mx_race_range *r, const struct mx_race_map *m,
                              const struct mx_race_cell *c, bool same) {
	bool own = c->write && c->write_group == r->group;
	if (own && c->write == r->me && c->written.own_wait)
		return true;
	if (own && c->write != r->me && (!same || c->written.own_wait) &&
	    !is_over_for_all(r, c->write))
		return true;
	if (c->read_group != r->group)
		return false;
	if (!c->readers)
		return is_after_reader(r, c, c->read, same);
	for (unsigned i = 0; i < m->slots * r->w->group->n_waves; i++)
		if (is_after_reader(r, c, c->readers[i], same))
			return true;
	return false;
}

/* Keeps earlier concurrent writes of the same contents as readers: later accesses must be ordered
 * after them, too. */
static void keep_as_reader(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c) {
	if (c->write_group == r->group) {
		note_reader(r, m, c, c->write);
		return;
	}
	if (!m->lists)
		c->read = c->write;
	note_other_group(r, m, c, c->write_group, c->write);
}

/* Where signal and wait are two instructions, a wave may be over its wait and another one before
 * its own. What this write is ordered after stays as readers: a write of the same contents by
 * another wave must be ordered after them itself. An earlier write stays if it has no readers;
 * readers are ordered after it. */
static void keep_earlier(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c) {
	if (!c->read_group)
		note_reader(r, m, c, c->write);
}

static void note_write(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                       struct mx_written now) {
	bool own = c->write_group == r->group, same = same_written(c->written, now);
	bool concurrent = c->write && same &&
	                  !(own && (c->write == r->me || mx_race_is_over_for(r, c->write)));
	bool none = !c->write && !c->read_group;
	bool own_wait = r->rewrites ? c->written.own_wait : is_after_own_wait(r, m, c, same);
	bool keeps = own_wait && mx_race_splits_barriers(r);
	now.own_wait = own_wait && !keeps;
	now.concurrent = concurrent || keeps || r->rewrites || (same && c->written.concurrent);
	now.first = none || (same && c->written.first);
	if (concurrent)
		keep_as_reader(r, m, c);
	else if (keeps)
		keep_earlier(r, m, c);
	else if (!now.concurrent)
		forget_readers(m, c);
	c->write = r->me;
	c->write_group = r->group;
	c->written = now;
}

/* ---- one cell ---- */

/* A write replaces the earlier accesses of its cell, because happens-before is transitive. */
void mx_race_touch(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                   uint64_t at, unsigned unit) {
	struct mx_written now = { 0 };
	if (r->kind == MX_RACE_WRITE)
		now = written(r, at, unit);
	bool same = r->kind == MX_RACE_WRITE && same_written(c->written, now);
	r->rewrites = false;
	check_write_of(r, at, c, same);
	if (r->kind != MX_RACE_READ || c->written.concurrent)
		check_readers(r, m, at, c, MX_RACE_READ, same);
	if (r->kind == MX_RACE_READ)
		note_reader(r, m, c, r->me);
	else if (r->kind == MX_RACE_WRITE)
		note_write(r, m, c, now);
}

bool mx_race_read_unwritten(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_page *p,
                            const mx_cells *cells, unsigned bytes) {
	unsigned parts = bytes / p->unit;
	for (unsigned i = 0; i < 4; i++)
		for (uint64_t left = (*cells)[i]; left; left &= left - 1) {
			unsigned at = 64 * i + (unsigned)__builtin_ctzll(left);
			struct mx_race_cell *c = p->cell + at * parts;
			for (struct mx_race_cell *end = c + parts; c < end; c++) {
				if (c->write)
					return false;
				note_reader(r, m, c, r->me);
			}
		}
	return true;
}

/* The order of two different functions at one place matters. The cell keeps the last function. */
static void check_function(const struct mx_race_range *r, struct mx_race_cell *c) {
	struct mx_written function = { .kind = MX_SUMMED, .value = r->rmw };
	if (c->read_group && !same_written(c->written, function))
		mx_race_doubt(r->w, r->in, MX_DOUBT_ATOMIC_KINDS);
	c->written = function;
}

/* Atomics do not conflict with each other; their cells keep them as readers. */
void mx_race_touch_atomics(struct mx_race_range *r, struct mx_race_map *m, struct mx_race_cell *c,
                           uint64_t at) {
	if (r->kind == MX_RACE_ATOMIC) {
		check_function(r, c);
		note_reader(r, m, c, r->me);
		return;
	}
	check_readers(r, m, at, c, MX_RACE_ATOMIC, false);
	bool one_group = c->read_group && !is_list(m, c);
	if (one_group && !c->readers)
		check_caches(r, c->read);
	for (unsigned i = 0; one_group && c->readers && i < m->readers; i++)
		if (c->readers[i])
			check_caches(r, c->readers[i]);
	if (r->kind == MX_RACE_WRITE)
		forget_readers(m, c);
}
