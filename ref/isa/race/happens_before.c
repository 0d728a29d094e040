/* Happens-before through memory: flags, counters and locks, by vector clocks, as FastTrack
 * [Flanagan, Freund 2009] and DRD do it for threads.
 *
 * A wave's clock holds, for each other wave, its last operation that happened before the wave's
 * next instruction. Releases are atomics and stores of agent scope; if the kernel has polling
 * loads, all stores. At issue a release takes the clock of its wave, which includes what the wave
 * has waited for. When it lands, its dword gets this clock. A store replaces the clock that was
 * there. An atomic joins its own to it, as in a release sequence [C11 5.1.2.4], and so does a store
 * to part of a dword.
 *
 * Acquires are returning atomics, loads of agent scope, and polling loads. An acquire takes the
 * clock of its dword when it lands. When its wave has waited for it, the wave's clock joins that
 * clock. So a wave obtains the clocks of those releases that it has read, and of no others. A
 * polling load obtains no more than it would have obtained at any moment (poll_values.c).
 *
 * Between waves of the same workgroup, two more kinds of operations are over at a release, without
 * a wait:
 *  - for later vector memory operations, vector memory operations in device memory that were issued
 *    before it: all go through one L1 in the order of issue. Compiled code relies on this at flags
 *    as at barriers, where a workgroup has one L1 (mx_has_one_l1);
 *  - in LDS, LDS operations that were issued before a release that is an LDS operation. LDS-DMA is
 *    not one of them.
 *
 * The arrival of a copy at a barrier in LDS is a release for which its wave need not wait: the copy
 * is over, and those before it in its stream are.
 *
 * Order through memory, but for that of barriers in LDS (lds_barriers.c), is no proof, because an
 * acquire may read another release under another schedule. Accesses that are ordered so are no
 * finding either. */
#include <stdlib.h>
#include <string.h>

#include "lds_barriers.h"
#include "poll_values.h"
#include "wave_sync.h"

/* ---- counters of a clock ---- */

/* Counters of a wave: one for each stream; one for each stream that LDS or the L1 takes in the
 * order of issue, which holds in its workgroup only; and BEGUN. */
enum { IN_ORDER = MX_STREAMS, BEGUN = 2 * MX_STREAMS, COUNTERS };

static uint64_t counter_of(uint32_t group, unsigned wave, unsigned which) {
	return (uint64_t)group << 10 | wave << 5 | which;
}

/* The counter of writes to a dword of device memory, or of a workgroup's LDS. */
static uint64_t place_of(const struct mx_wave *w, bool lds, uint64_t at) {
	return 1ull << 63 | (lds ? 1ull << 62 | (w->group->index + 1) << 17 | at / 4 : at / 4);
}

/* ---- places ---- */

/* A dword to which releases were issued. */
struct mx_race_place {
	uint64_t of;                  /* 0: free */
	struct mx_clock *base, *last; /* an acquirer joins both: earlier releases, and the last */
	uint32_t writes;              /* that have landed */
	uint32_t others; /* of these, before the last ones, which are all of `writer` */
	uint64_t writer;
	uint32_t in_flight;
	struct mx_history history; /* where loads poll */
};

static size_t slot_of(const struct mx_race_sync *y, uint64_t of) {
	size_t i = of * 0x9e3779b97f4a7c15u >> 32 & (y->room - 1);
	while (y->place[i].of && y->place[i].of != of)
		i = (i + 1) & (y->room - 1);
	return i;
}

static struct mx_race_place *find(const struct mx_race_sync *y, uint64_t of) {
	struct mx_race_place *p = y->room ? &y->place[slot_of(y, of)] : NULL;
	return p && p->of ? p : NULL;
}

static bool grow(struct mx_race_sync *y) {
	struct mx_race_sync old = *y;
	y->room = old.room ? 2 * old.room : 256;
	y->place = calloc(y->room, sizeof *y->place);
	if (!y->place) {
		*y = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.place[i].of)
			y->place[slot_of(y, old.place[i].of)] = old.place[i];
	free(old.place);
	return true;
}

static struct mx_race_place *make(struct mx_race_sync *y, uint64_t of) {
	if (2 * y->n >= y->room && !grow(y))
		return NULL;
	struct mx_race_place *p = &y->place[slot_of(y, of)];
	y->n += !p->of;
	p->of = of;
	return p;
}

/* ---- a wave's clock ---- */

/* A release or an acquire in flight. */
struct mx_race_event {
	unsigned stream;
	uint32_t number;
	bool releases, rmw;
	struct mx_clock *base, *own;    /* of a release: up to its wave's last acquire, and since */
	struct mx_lds_arrival *arrival; /* or NULL */
};

static struct mx_race_sync *sync_of(const struct mx_wave *w) {
	return &mx_race_analysis_of(w->group->run)->sync;
}

static void check(struct mx_wave *w, bool enough_memory) {
	if (!enough_memory)
		w->group->run->out_of_memory = true;
}

/* Joins to the wave's clock those of acquires that it has waited for. */
static struct mx_race_clock *join_acquired(struct mx_wave *w) {
	const struct mx_race_wave *o = mx_race_wave_of(w);
	struct mx_race_clock *k = mx_race_clock_of(w);
	unsigned kept = 0;
	for (unsigned i = 0; i < k->n; i++) {
		struct mx_race_acquired a = k->acquired[i];
		if (a.number > o->covered[a.stream]) {
			k->acquired[kept++] = a;
			continue;
		}
		check(w, mx_clock_join(&k->clock, a.clock));
		mx_clock_drop(a.clock);
	}
	k->n = kept;
	return k;
}

/* A clock of waves of a workgroup as it grows. */
struct ticks {
	const struct mx_isa *isa;
	struct mx_tick tick[MX_GROUP_WAVES * COUNTERS];
	unsigned n;
};

static void add_tick(struct ticks *t, const struct mx_wave *w, unsigned which, uint32_t upto) {
	uint32_t group = (uint32_t)w->group->index + 1;
	t->tick[t->n++] = (struct mx_tick){ counter_of(group, w->index, which), upto };
}

/* The counters of a wave that has waited for `covered` and issued `issued` operations. `lds`: a
 * stream of LDS of which the workgroup has the operations in order, or MX_STREAMS. */
static void add_wave(struct ticks *t, const struct mx_wave *w, const uint32_t *covered,
                     const uint32_t *issued, unsigned lds) {
	bool one_l1 = mx_has_one_l1(w->group->run);
	for (unsigned s = 0; s < t->isa->n_streams; s++)
		add_tick(t, w, s, covered[s]);
	for (unsigned s = 0; s < t->isa->n_streams; s++)
		if (s == lds || (t->isa->stream[s].path == MX_PATH_MEMORY && one_l1))
			add_tick(t, w, IN_ORDER + s, issued[s]);
	add_tick(t, w, BEGUN, 1);
}

static struct mx_clock *clock_of_past(const struct mx_group *g, const struct mx_race_past *p) {
	struct ticks t;
	t.isa = g->run->isa;
	t.n = 0;
	for (unsigned v = 0; v < g->n_waves; v++)
		add_wave(&t, &g->waves[v], p->wave[v].covered, p->wave[v].issued, MX_STREAMS);
	return mx_clock_new(t.tick, t.n);
}

/* Joins what the wave obtained at barriers to its clock. */
static void join_past(struct mx_wave *w, struct mx_race_clock *k) {
	struct mx_race_past *p = mx_race_past_of(w);
	if (!p->clock)
		p->clock = clock_of_past(w->group, p);
	check(w, p->clock);
	if (!k->has_past)
		check(w, mx_clock_join(&k->clock, p->clock));
	k->has_past = true;
}

/* The clock of a release's own wave: what it has waited for, and what its workgroup has in order.
 */
static struct mx_clock *own_clock(const struct mx_wave *w, const uint32_t *covered, unsigned lds) {
	struct ticks t;
	t.isa = w->group->run->isa;
	t.n = 0;
	add_wave(&t, w, covered, mx_race_wave_of(w)->issued, lds);
	return mx_clock_new(t.tick, t.n);
}

static struct mx_clock *clock_of_release(const struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_race_wave *o = mx_race_wave_of(w);
	bool lds = mx_race_stream(w, m->stream)->path == MX_PATH_LDS;
	uint32_t covered[MX_STREAMS];
	memcpy(covered, o->covered, sizeof covered);
	if (m->arrives)
		covered[m->stream] = o->issued[m->stream];
	return own_clock(w, covered, lds ? m->stream : MX_STREAMS);
}

/* ---- issue ---- */

/* Context of the visits of the dwords that an operation writes, or reads. */
struct visit {
	struct mx_wave *w;
	const struct mx_race_event *event;
	mx_access me;
	bool adds;     /* joins the clock that was there */
	uint64_t last; /* dword visited last: lanes often share one */
	unsigned n;
	struct mx_clock *clock, *from[2], *to; /* from, to: the last join */
};

enum {
	READS = 1 << MX_RACE_READ | 1 << MX_RACE_ATOMIC,
	WRITES = 1 << MX_RACE_WRITE | 1 << MX_RACE_ATOMIC
};

static bool is_next(struct visit *v, uint64_t of) {
	bool next = v->last != of;
	v->last = of;
	return next;
}

/* Begins a history with the value before the first release, if the kernel polls. */
static void start_history(struct visit *v, struct mx_race_place *p, bool lds, uint64_t at) {
	struct mx_release first = { .value = mx_value_at(v->w, lds, at) };
	if (!p->history.n && sync_of(v->w)->wave_sync->any_polls)
		check(v->w, mx_history_add(&p->history, &first));
}

static void issue_write(void *visit, bool lds, uint64_t at) {
	struct visit *v = visit;
	struct mx_race_sync *y = sync_of(v->w);
	uint64_t of = place_of(v->w, lds, at);
	if (!is_next(v, of))
		return;
	struct mx_race_place *p = make(y, of);
	check(v->w, p);
	if (!p)
		return;
	if (!lds) {
		y->from = at < y->from ? at : y->from;
		y->to = at + 4 > y->to ? at + 4 : y->to;
	}
	p->in_flight++;
	start_history(v, p, lds, at);
}

/* Whether it writes memory that may have flags. */
static bool stores(const struct mx_memop *m) {
	return (m->in->op->flags & MX_STORE || m->in->mem.lds) && !m->bulk;
}

/* The kinds of its accesses that may write flags. */
static unsigned writes_of(const struct mx_memop *m) {
	return m->bulk ? 1 << MX_RACE_ATOMIC : WRITES;
}

void mx_race_release(struct mx_wave *w, struct mx_memop *m, unsigned stream) {
	const struct mx_wave_sync *wave_sync = sync_of(w)->wave_sync;
	bool releases =
		mx_race_releases(m->in) || m->arrives || (wave_sync->any_polls && stores(m));
	if (!releases && !wave_sync->polls[m->in->offset / 4] && !mx_race_acquires(m->in))
		return;
	struct mx_race_event *e = m->note = calloc(1, sizeof *e);
	check(w, e);
	if (!e)
		return;
	e->stream = stream;
	e->number = mx_race_wave_of(w)->issued[stream];
	e->releases = releases;
	e->rmw = mx_race_is_atomic(m->in->op) || m->arrives;
	if (!releases)
		return;
	struct mx_race_clock *k = join_acquired(w);
	join_past(w, k);
	e->base = mx_clock_keep(k->clock);
	e->own = clock_of_release(w, m);
	check(w, e->own);
	if (m->arrives || m->in->op->rmw == MX_RMW_arrive64)
		e->arrival = mx_lds_arrival_issue(w, m);
	mx_race_places(w, m, writes_of(m), issue_write, &(struct visit){ .w = w });
}

void mx_race_drop_event(struct mx_memop *m) {
	struct mx_race_event *e = m->note;
	if (!e)
		return;
	mx_clock_drop(e->base);
	mx_clock_drop(e->own);
	mx_lds_arrival_drop(e->arrival);
	free(e);
	m->note = NULL;
}

/* ---- landing ---- */

/* Adds the number of writes to the dword to the acquired clock. */
static void note_writes(struct visit *v, const struct mx_race_place *p) {
	struct mx_clock *c = mx_clock_new(&(struct mx_tick){ p->of, p->writes }, 1);
	check(v->w, c && mx_clock_join(&v->clock, c));
	mx_clock_drop(c);
}

static void acquire(void *visit, bool lds, uint64_t at) {
	struct visit *v = visit;
	uint64_t of = place_of(v->w, lds, at);
	const struct mx_race_place *p = is_next(v, of) ? find(sync_of(v->w), of) : NULL;
	const struct mx_race_clock *k = mx_race_clock_of(v->w);
	if (!p || !p->writes || mx_clock_at(k->clock, of) == p->writes)
		return;
	check(v->w, mx_clock_join(&v->clock, p->base) && mx_clock_join(&v->clock, p->last));
	note_writes(v, p);
}

static void add_acquired(struct mx_wave *w, const struct mx_race_event *e, struct mx_clock *c) {
	struct mx_race_clock *k = mx_race_clock_of(w);
	struct mx_race_acquired *more = realloc(k->acquired, (k->n + 1) * sizeof *k->acquired);
	check(w, more);
	if (!more) {
		mx_clock_drop(c);
		return;
	}
	k->acquired = more;
	k->acquired[k->n++] = (struct mx_race_acquired){ c, e->stream, e->number };
}

/* Joins the earlier clock of a dword to that of an atomic; lanes often repeat the same join. */
static void accumulate(struct visit *v, struct mx_race_place *p) {
	if (!v->n++ || v->from[0] != p->base || v->from[1] != p->last) {
		mx_clock_drop(v->from[0]), mx_clock_drop(v->from[1]), mx_clock_drop(v->to);
		v->from[0] = mx_clock_keep(p->base), v->from[1] = mx_clock_keep(p->last);
		v->to = v->event ? mx_clock_keep(v->event->base) : NULL;
		check(v->w, mx_clock_join(&v->to, p->base) && mx_clock_join(&v->to, p->last));
	}
	mx_clock_drop(p->base);
	p->base = mx_clock_keep(v->to);
}

static void note_writer(struct mx_race_place *p, const struct mx_wave *w) {
	uint64_t writer = counter_of((uint32_t)w->group->index + 1, w->index, 0);
	if (p->writer != writer)
		p->others = p->writes;
	p->writer = writer;
	p->writes++;
}

static void note_release(struct visit *v, struct mx_race_place *p, bool lds, uint64_t at) {
	struct mx_release release = { .time = sync_of(v->w)->time,
		                      .access = v->me,
		                      .group = (uint32_t)v->w->group->index + 1,
		                      .writes = p->writes,
		                      .value = mx_value_at(v->w, lds, at),
		                      .rmw = v->event && v->event->rmw,
		                      .base = p->base,
		                      .last = p->last };
	if (p->history.n)
		check(v->w, mx_history_add(&p->history, &release));
}

static void land_write(void *visit, bool lds, uint64_t at) {
	struct visit *v = visit;
	uint64_t of = place_of(v->w, lds, at);
	struct mx_race_place *p = is_next(v, of) ? find(sync_of(v->w), of) : NULL;
	if (!p)
		return;
	p->in_flight -= v->event != NULL;
	note_writer(p, v->w);
	if (v->adds)
		accumulate(v, p);
	else {
		mx_clock_drop(p->base);
		p->base = v->event ? mx_clock_keep(v->event->base) : NULL;
	}
	mx_clock_drop(p->last);
	p->last = v->event ? mx_clock_keep(v->event->own) : NULL;
	note_release(v, p, lds, at);
}

/* A store to some bytes of a dword: the releases that set the other bytes remain. */
static bool is_partial(const struct mx_inst *in) {
	return in->op->flags & MX_STORE && !(in->op->flags & MX_FORMAT) && in->op->d % 4;
}

/* Whether a store is to device memory without places, as most are. */
static bool misses_places(const struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_race_sync *y = sync_of(w);
	bool bounded = m->range == MX_RANGE_ALL || m->split;
	return bounded && m->in->op->encoding > MX_DS && !(m->in->op->flags & MX_FORMAT) &&
	       !m->in_lds && !m->in->mem.lds && !(m->exec & m->scratch) &&
	       (m->to <= y->from || m->from >= y->to);
}

static void land_writes(struct mx_wave *w, const struct mx_memop *m) {
	const struct mx_race_event *e = m->note;
	struct visit v = { .w = w, .event = e };
	v.adds = (e && e->rmw) || is_partial(m->in);
	sync_of(w)->time++;
	if (!e && misses_places(w, m))
		return;
	if (e)
		v.me = mx_access_of(w, m->in, e->stream, e->number);
	mx_race_places(w, m, writes_of(m), land_write, &v);
	mx_clock_drop(v.from[0]);
	mx_clock_drop(v.from[1]);
	mx_clock_drop(v.to);
}

static const struct mx_history *history_of(struct mx_wave *w, bool lds, uint64_t at,
                                           uint64_t *counter) {
	const struct mx_race_place *p = find(sync_of(w), *counter = place_of(w, lds, at));
	return p ? &p->history : NULL;
}

/* Whether it is a polling load, and its clock is decided when the wave has waited for it. */
static bool is_undecided(struct mx_wave *w, const struct mx_memop *m, struct mx_clock *c) {
	const struct mx_race_event *e = m->note;
	if (!c || !sync_of(w)->wave_sync->polls[m->in->offset / 4])
		return false;
	join_past(w, mx_race_clock_of(w));
	return mx_polls_land(w, m, e->stream, e->number, c, history_of);
}

void mx_race_land(struct mx_wave *w, struct mx_memop *m) {
	const struct mx_race_sync *y = sync_of(w);
	const struct mx_race_event *e = m->note;
	if (e && (y->wave_sync->polls[m->in->offset / 4] || mx_race_acquires(m->in))) {
		struct visit v = { .w = w };
		join_acquired(w);
		mx_race_places(w, m, READS, acquire, &v);
		if (is_undecided(w, m, v.clock))
			mx_clock_drop(v.clock);
		else if (v.clock)
			add_acquired(w, e, v.clock);
	}
	if (e ? e->releases : stores(m) && y->n)
		land_writes(w, m);
	if (e && e->arrival)
		mx_lds_arrival_land(w, e->arrival);
	else if (e)
		mx_lds_poll_land(w, m);
	mx_race_drop_event(m);
}

/* ---- barriers, the workgroup, the launch ---- */

void mx_race_clock_signal(struct mx_wave *w, struct mx_clock **flags) {
	check(w, mx_clock_join(flags, join_acquired(w)->clock));
}

void mx_race_clock_pass(struct mx_wave *w, struct mx_clock *flags) {
	struct mx_race_clock *k = mx_race_clock_of(w);
	check(w, mx_clock_join(&k->clock, flags));
	k->has_past = false;
}

/* ---- the barrier of a cluster ---- */

void mx_race_cluster_signal(struct mx_wave *w) {
	struct mx_cluster *c = w->group->cluster;
	struct mx_race_clock *k = join_acquired(w);
	join_past(w, k);
	struct mx_clock *own = own_clock(w, mx_race_wave_of(w)->covered, MX_STREAMS);
	check(w, own && mx_clock_join(&c->brought, own) && mx_clock_join(&c->brought, k->clock));
	mx_clock_drop(own);
}

/* The first of the workgroups for which it opens takes what the signals brought. */
void mx_race_cluster_open(struct mx_group *g, struct mx_clock **flags) {
	struct mx_cluster *c = g->cluster;
	if (c->brought) {
		mx_clock_drop(c->obtained);
		c->obtained = c->brought;
		c->brought = NULL;
	}
	if (!mx_clock_join(flags, c->obtained))
		g->run->out_of_memory = true;
}

void mx_race_cluster_drop(struct mx_group *g) {
	struct mx_cluster *c = g->cluster;
	mx_clock_drop(c->brought);
	mx_clock_drop(c->obtained);
	c->brought = c->obtained = NULL;
}

void mx_race_drop_clocks(struct mx_race_group *o) {
	for (unsigned i = 0; i < sizeof o->clock / sizeof *o->clock; i++) {
		struct mx_race_clock *k = &o->clock[i];
		while (k->n)
			mx_clock_drop(k->acquired[--k->n].clock);
		mx_polls_drop(k);
		mx_clock_drop(k->clock);
		free(k->acquired);
		*k = (struct mx_race_clock){ 0 };
	}
}

bool mx_race_sync_begin(struct mx_race_sync *y, const struct mx_launch *l) {
	y->from = UINT64_MAX;
	y->wave_sync =
		mx_program_wave_sync(l->program, l->kernel->entry - mx_program_base(l->program));
	return y->wave_sync;
}

void mx_race_sync_end(struct mx_race_sync *y) {
	for (size_t i = 0; i < y->room; i++) {
		mx_clock_drop(y->place[i].base);
		mx_clock_drop(y->place[i].last);
		mx_history_free(&y->place[i].history);
	}
	free(y->place);
}

/* ---- queries ---- */

bool mx_race_happened_before(struct mx_wave *w, mx_access earlier, uint32_t group, mx_access me,
                             bool lds) {
	const struct mx_clock *c = join_acquired(w)->clock;
	unsigned wave = mx_access_wave(earlier), stream = mx_access_stream(earlier);
	uint32_t number = mx_access_number(earlier);
	if (!mx_clock_at(c, counter_of(group, wave, BEGUN)))
		return false;
	if (number <= mx_clock_at(c, counter_of(group, wave, stream)))
		return true;
	if (group != w->group->index + 1)
		return false;
	mx_path path = mx_race_stream(w, stream)->path;
	bool in_order = lds ? path == MX_PATH_LDS
	                    : path == MX_PATH_MEMORY &&
	                                mx_race_stream(w, mx_access_stream(me))->path == path;
	return in_order && number <= mx_clock_at(c, counter_of(group, wave, IN_ORDER + stream));
}

bool mx_race_acquired_last(struct mx_wave *w, bool lds, uint64_t at) {
	uint64_t of = place_of(w, lds, at);
	uint64_t me = counter_of((uint32_t)w->group->index + 1, w->index, 0);
	const struct mx_race_place *p = find(sync_of(w), of);
	uint32_t writes = !p ? 0 : p->writer == me ? p->others : p->writes;
	return writes && !p->in_flight && mx_clock_at(join_acquired(w)->clock, of) >= writes;
}
