/* The scene of a failure: writers of the output, and the steps of two waves around a race. */
#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "../../ref/isa/encoding/instruction_set.h"

enum { MOST_ISSUES = 1 << 20, AROUND = 8 /* steps before the first and after the last access */ };

struct issue {
	uint64_t pc, time, land;
	bool orders; /* a memory operation, a wait or a barrier */
};

/* All instructions of a wave, in order. */
struct wave {
	uint32_t workgroup[3], wave;
	struct issue *issue;
	size_t n, room;
};

struct cell {
	uint64_t address;
	unsigned at;
};

struct search {
	const struct mx_bench *b;
	const struct mx_note_place *place; /* NULL: no race */
	struct wave wave[2];               /* of the earlier access, of the later one */
	struct cell *cells;                /* by address */
	size_t n_cells;
	struct mx_scene *scene;
	bool short_of_memory;
};

/* ---- writers ---- */

static int by_address(const void *a, const void *b) {
	const struct cell *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

static int place_cells(const struct mx_bench *b, const struct mx_map *m, struct search *s) {
	const struct mx_buffer *c = &mx_bench_plan(b)->buffers[m->buffer];
	uint64_t base = mx_bench_address(b, m->buffer);
	if (!(s->cells = malloc(m->n_rows * m->n_cols * sizeof *s->cells)))
		return -1;
	for (unsigned i = 0; i < m->n_rows * m->n_cols; i++)
		s->cells[s->n_cells++] =
			(struct cell){ base + mx_buffer_at(c, i / m->n_cols * m->cell_rows,
			                                   i % m->n_cols * m->cell_cols),
			               i };
	qsort(s->cells, s->n_cells, sizeof *s->cells, by_address);
	s->scene->has_writers = true;
	return 0;
}

/* The first cell at or after an address. */
static size_t find_cell(const struct search *s, uint64_t address) {
	size_t low = 0, high = s->n_cells;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (s->cells[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void note_write(struct search *s, const struct mx_event *e) {
	for (size_t i = find_cell(s, e->address);
	     i < s->n_cells && s->cells[i].address < e->address + e->bytes; i++) {
		struct mx_writer *w = &s->scene->writer[s->cells[i].at];
		w->known = true;
		w->wave = e->wave;
		memcpy(w->workgroup, e->workgroup, sizeof w->workgroup);
	}
}

/* ---- the two waves ---- */

static struct wave *wave_of(struct search *s, const uint32_t workgroup[3], uint32_t wave) {
	bool here = s->place && s->place->step == mx_bench_running(s->b);
	for (unsigned i = 2; here && i-- > 0;)
		if (s->wave[i].wave == wave &&
		    !memcmp(s->wave[i].workgroup, workgroup, sizeof s->wave[i].workgroup))
			return &s->wave[i];
	return NULL;
}

static bool orders(const struct mx_event *e) {
	struct mx_inst in;
	e->isa->decode(e->code, e->dwords, (uint32_t)e->pc, &in);
	mx_kind kind = in.op ? mx_kind_of(in.op) : MX_IS_ORDINARY;
	return in.counts || kind == MX_IS_WAITCNT || kind == MX_IS_BARRIER;
}

static void note_issue(struct search *s, struct wave *w, const struct mx_event *e) {
	if (w->n >= MOST_ISSUES)
		return;
	if (w->n == w->room) {
		size_t room = w->room ? 2 * w->room : 1024;
		struct issue *grown = realloc(w->issue, room * sizeof *grown);
		if (!grown) {
			s->short_of_memory = true;
			return;
		}
		w->issue = grown;
		w->room = room;
	}
	w->issue[w->n++] = (struct issue){ e->pc, e->time, 0, orders(e) };
}

/* e->issue is the number of the instruction in its wave, from 1. */
static void note_land(struct wave *w, const struct mx_event *e) {
	if (e->issue && e->issue <= w->n)
		w->issue[e->issue - 1].land = e->time;
}

/* ---- events ---- */

static unsigned wants(void *context, const uint32_t workgroup[3], uint32_t wave) {
	struct search *s = context;
	unsigned kinds = s->n_cells ? MX_EVENT_MEMORY : 0;
	return kinds | (wave_of(s, workgroup, wave) ? MX_EVENT_ISSUE | MX_EVENT_LAND : 0);
}

static void event(void *context, const struct mx_event *e) {
	struct search *s = context;
	if (e->kind == MX_EVENT_MEMORY) {
		if (e->write)
			note_write(s, e);
		return;
	}
	struct wave *w = wave_of(s, e->workgroup, e->wave);
	if (w && e->kind == MX_EVENT_ISSUE)
		note_issue(s, w, e);
	else if (w && e->kind == MX_EVENT_LAND)
		note_land(w, e);
}

/* ---- the steps around the accesses ---- */

struct pair {
	const struct issue *earlier, *later;
};

/* The earlier access and the next execution of the later one that are closest. */
static struct pair closest(const struct wave *a, uint64_t earlier, const struct wave *b,
                           uint64_t later) {
	struct pair best = { NULL, NULL };
	const struct issue *last = NULL;
	for (size_t i = 0, k = 0; k < b->n; k++) {
		if (b->issue[k].pc != later)
			continue;
		for (; i < a->n && a->issue[i].time < b->issue[k].time; i++)
			if (a->issue[i].pc == earlier)
				last = &a->issue[i];
		if (last && (!best.later ||
		             b->issue[k].time - last->time < best.later->time - best.earlier->time))
			best = (struct pair){ last, &b->issue[k] };
	}
	return best;
}

static int by_time(const void *a, const void *b) {
	const struct mx_scene_step *x = a, *y = b;
	return (x->time > y->time) - (x->time < y->time);
}

static bool is_access(const struct issue *at, const struct pair *p) {
	return at == p->earlier || at == p->later;
}

/* Whether the step is worth a line: it orders memory, and is not long before or after both. */
static bool is_near(const struct issue *at, const struct pair *p) {
	uint64_t from = p->earlier->time > AROUND ? p->earlier->time - AROUND : 0;
	return at->orders && at->time >= from && at->time <= p->later->time + AROUND;
}

/* Adds the accesses of a wave and at most `room` other steps: the first and the last ones. */
static void add_steps(struct mx_scene *s, const struct wave *w, const struct pair *p, bool later,
                      unsigned room) {
	unsigned all = 0, seen = 0;
	for (size_t i = 0; i < w->n; i++)
		all += !is_access(&w->issue[i], p) && is_near(&w->issue[i], p);
	for (size_t i = 0; i < w->n; i++) {
		const struct issue *at = &w->issue[i];
		bool access = is_access(at, p);
		if (!access && !is_near(at, p))
			continue;
		seen += !access;
		if (access || seen <= room / 2 || seen + room / 2 > all)
			s->step[s->n_steps++] =
				(struct mx_scene_step){ later, access, at->pc, at->time, at->land };
	}
}

static void choose_steps(const struct search *s, struct mx_scene *scene) {
	const struct wave *later = &s->wave[1];
	const struct wave *earlier = scene->same_wave ? later : &s->wave[0];
	struct pair p = closest(earlier, s->place->earlier, later, s->place->pc);
	if (!p.later)
		return;
	enum { ROOM = MX_SCENE_STEPS - 2 };
	if (!scene->same_wave)
		add_steps(scene, earlier, &p, false, ROOM / 2 & ~1);
	add_steps(scene, later, &p, true, scene->same_wave ? ROOM : ROOM / 2 & ~1);
	qsort(scene->step, scene->n_steps, sizeof *scene->step, by_time);
}

/* ---- the search ---- */

/* The first finding of two accesses, in a known workgroup. */
static int find_note(const struct mx_verdict *v) {
	for (unsigned i = 0; i < v->n_notes; i++) {
		const struct mx_note *n = &v->notes[i];
		if (n->severity > 0 && n->place.is_race && n->place.earlier != MX_NO_PC &&
		    !n->place.earlier_elsewhere)
			return (int)i;
	}
	return -1;
}

static void set_waves(struct search *s, const struct mx_note_place *p) {
	s->place = p;
	s->wave[0].wave = p->earlier_wave;
	s->wave[1].wave = p->wave;
	memcpy(s->wave[0].workgroup, p->earlier_workgroup, sizeof p->workgroup);
	memcpy(s->wave[1].workgroup, p->workgroup, sizeof p->workgroup);
	s->scene->same_wave = s->wave[0].wave == s->wave[1].wave &&
	                      !memcmp(p->earlier_workgroup, p->workgroup, sizeof p->workgroup);
}

static int observe(struct mx_bench *b, uint64_t seed, struct search *s, struct mx_error *err) {
	const struct mx_observer observer = { s, wants, event };
	struct mx_run_result run;
	mx_bench_options(b)->observer = &observer;
	int status = mx_bench_run(b, seed, &run, err);
	mx_bench_options(b)->observer = NULL;
	if (!status && s->short_of_memory)
		status = mx_fail(err, "out of memory");
	return status;
}

int mx_scene_find(struct mx_bench *b, uint64_t seed, const struct mx_verdict *v,
                  const struct mx_map *map, struct mx_scene **scene, struct mx_error *err) {
	struct search s = { .b = b, .scene = calloc(1, sizeof *s.scene) };
	int status = 0;
	*scene = NULL;
	if (!s.scene)
		return mx_fail(err, "out of memory");
	s.scene->note = find_note(v);
	if (s.scene->note >= 0)
		set_waves(&s, &v->notes[s.scene->note].place);
	if (map && place_cells(b, map, &s))
		status = mx_fail(err, "out of memory");
	if (!status && (s.place || s.n_cells))
		status = observe(b, seed, &s, err);
	if (!status && s.place)
		choose_steps(&s, s.scene);
	free(s.cells);
	free(s.wave[0].issue);
	free(s.wave[1].issue);
	if (status || (!s.n_cells && !s.scene->n_steps))
		free(s.scene);
	else
		*scene = s.scene;
	return status;
}
