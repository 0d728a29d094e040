/* Draws trials: sizes at the borders of a contract, and between them. */
#include <string.h>

#include "shapes.h"

enum {
	USUAL_TILE = 64, /* of a size without a contract: waves, and rows of LDS */
	WIDE = 5,        /* tiles up to which sizes between borders are drawn */
	OUTSIDE_IN = 8,  /* one draw in so many, if the contract permits any */
	FAR_IN = 6,      /* one draw in so many, if the case may have tiles */
	DRAWS = 4,       /* until a trial has a plan */
};

#define MOST_SIZE (INT64_C(1) << 33) /* of a far one */

/* ---- random numbers: SplitMix64 of the keys ---- */

static uint64_t mix(uint64_t x) {
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* A number below n, a function of the three keys. */
static uint64_t hash(uint64_t seed, uint64_t number, uint64_t index, uint64_t n) {
	return mix(mix(mix(seed) ^ number) ^ index) % n;
}

/* The random numbers of one draw. */
struct dice {
	uint64_t seed, number, index;
};

static uint64_t roll(struct dice *d, uint64_t n) {
	return hash(d->seed, d->number, d->index++, n);
}

/* ---- borders ---- */

static int64_t least_of(const struct mx_borders *b) {
	if (b->is_choice)
		return 0;
	int64_t min = b->contract && b->contract->min ? b->contract->min : 1;
	return (min + b->multiple - 1) / b->multiple * b->multiple;
}

static bool is_inside(const struct mx_borders *b, int64_t v) {
	return v >= least_of(b) && v % b->multiple == 0 &&
	       !(b->contract && b->contract->max && v > b->contract->max);
}

/* Keeps them in ascending order. */
static void add(struct mx_borders *b, int64_t v) {
	if (!is_inside(b, v) || b->n == MX_MOST_BORDERS)
		return;
	unsigned i = 0;
	while (i < b->n && b->at[i].value < v)
		i++;
	if (i < b->n && b->at[i].value == v)
		return;
	memmove(&b->at[i + 1], &b->at[i], (b->n++ - i) * sizeof *b->at);
	b->at[i].value = v;
}

/* A value, and the next ones on both sides. */
static void add_around(struct mx_borders *b, int64_t v) {
	add(b, v);
	add(b, v - b->multiple);
	add(b, v + b->multiple);
}

static int64_t tile_of(const struct mx_borders *b) {
	int64_t tile = b->contract && b->contract->tile ? b->contract->tile : USUAL_TILE;
	return tile < b->multiple ? b->multiple : tile;
}

/* K of an MX product is a multiple of a block without a contract, too. */
static int64_t multiple_of(const struct mx_case *c, const struct mx_size_contract *k,
                           const char *name) {
	bool sums_groups = c->groups && c->groups->of == MX_GROUPS_COLS;
	if (k && k->multiple)
		return k->multiple;
	if (sums_groups) /* over their columns, not over K */
		return 1;
	for (unsigned i = 0; i < c->n_buffers; i++)
		if (c->buffers[i].role == MX_ROLE_A && !strcmp(name, "K"))
			return MX_BLOCK;
	return 1;
}

/* The multiple to which groups are padded; 0: none, or it depends on sizes. */
static int64_t pad_of(const struct mx_case *c) {
	struct mx_error why;
	int64_t pad = 0;
	return c->groups->pad && !mx_expr_eval(c->groups->pad, NULL, 0, &pad, &why) ? pad : 0;
}

static void find_borders(const struct mx_shapes *s, struct mx_borders *b, const char *name) {
	b->contract = mx_contract_of(s->c, name);
	b->is_choice = b->contract && b->contract->of;
	b->multiple = multiple_of(s->c, b->contract, name);
	for (unsigned i = 0; b->is_choice && i <= b->contract->n_values; i++)
		add(b, i);
	if (b->is_choice)
		return;
	int64_t tile = tile_of(b), stages = b->contract ? b->contract->stages : 0;
	add_around(b, least_of(b));
	add_around(b, tile);
	add_around(b, 2 * tile);
	for (int64_t i = 3; i <= stages + 2; i++)
		add_around(b, i * tile);
	if (b->contract && b->contract->max)
		add(b, b->contract->max);
	int64_t pad = mx_shapes_is_grouped(s, b->size) ? pad_of(s->c) : 0;
	if (pad)
		add_around(b, pad);
}

void mx_shapes_borders(struct mx_shapes *s) {
	const struct mx_sizes *sizes = &s->sizes;
	for (unsigned i = 0; i < sizes->n; i++) {
		s->borders[i] = (struct mx_borders){ .size = i };
		find_borders(s, &s->borders[i], sizes->at[i].name);
	}
}

bool mx_shapes_is_grouped(const struct mx_shapes *s, unsigned size) {
	return s->c->groups && !strcmp(s->sizes.at[size].name, "M");
}

/* With groups M is at a border if one of them is. */
static bool is_at(const struct mx_shapes *s, const struct mx_trial *t, unsigned size, int64_t v) {
	bool at = !mx_shapes_is_grouped(s, size) && t->run.sizes.at[size].value == v;
	for (unsigned i = 0; mx_shapes_is_grouped(s, size) && i < t->run.groups.n; i++)
		at |= t->run.groups.rows[i] == v;
	return at;
}

void mx_shapes_reached(struct mx_shapes *s, const struct mx_trial *t) {
	for (unsigned i = 0; i < t->run.sizes.n; i++)
		for (unsigned k = 0; k < s->borders[i].n; k++)
			s->borders[i].at[k].reached += is_at(s, t, i, s->borders[i].at[k].value);
}

/* ---- sizes ---- */

static int64_t between(const struct mx_borders *b, struct dice *d) {
	uint64_t steps = (uint64_t)(WIDE * tile_of(b) / b->multiple);
	int64_t v = least_of(b) + (int64_t)roll(d, steps) * b->multiple;
	return is_inside(b, v) ? v : least_of(b);
}

/* One off a border, where the contract does not hold. */
static int64_t beyond(const struct mx_borders *b, struct dice *d) {
	const struct mx_size_contract *k = b->contract;
	if (k->max && roll(d, 2))
		return k->max + b->multiple;
	int64_t v = b->at[roll(d, b->n)].value + (roll(d, 2) ? 1 : -1);
	return v > 0 ? v : 1;
}

static int64_t draw_size(const struct mx_shapes *s, const struct mx_borders *b, struct dice *d) {
	if (b->is_choice)
		return b->at[roll(d, b->n)].value;
	bool may_leave = b->contract && s->c->contract->outside == MX_OUTSIDE_IN_BOUNDS;
	if (may_leave && !roll(d, OUTSIDE_IN))
		return beyond(b, d);
	return roll(d, 3) ? b->at[roll(d, b->n)].value : between(b, d);
}

/* ---- groups ---- */

/* Empty groups, groups of one row, and groups with a size at a border; M is their sum. Half of the
 * draws have as many as the case. */
static void draw_groups(const struct mx_shapes *s, unsigned M, struct mx_trial *t, struct dice *d) {
	struct mx_run_groups *g = &t->run.groups;
	unsigned n = s->c->groups->n_rows;
	g->n = roll(d, 2) ? n : 1 + (unsigned)roll(d, 2 * n);
	g->n = g->n < MX_MOST_RUN_GROUPS ? g->n : MX_MOST_RUN_GROUPS;
	int64_t sum = 0;
	for (unsigned i = 0; i < g->n; i++) {
		uint64_t kind = roll(d, 4);
		g->rows[i] = kind < 2 ? (int64_t)kind * s->borders[M].multiple
		                      : draw_size(s, &s->borders[M], d);
		sum += g->rows[i];
	}
	if (!sum)
		sum = g->rows[roll(d, g->n)] = s->borders[M].multiple;
	t->run.sizes.at[M].value = sum;
}

/* One of the regimes of the case's runs: a kernel need not hold in the others. */
static mx_regime draw_regime(const struct mx_case *c, struct dice *d) {
	return c->runs[roll(d, c->n_runs)].regime;
}

/* ---- buffers beyond the ceilings of 32 bits ---- */

/* Groups share a large M, because kernels have ceilings for each. */
static void share_rows(const struct mx_shapes *s, struct mx_run_groups *g, int64_t M) {
	g->n = g->n ? g->n : s->c->groups->n_rows;
	g->n = g->n < MX_MOST_RUN_GROUPS ? g->n : MX_MOST_RUN_GROUPS;
	for (unsigned i = 0; i < g->n; i++)
		g->rows[i] = M / g->n + (i < (uint64_t)(M % g->n));
}

void mx_shapes_set(const struct mx_shapes *s, struct mx_case_run *run, unsigned size, int64_t v) {
	run->sizes.at[size].value = v;
	if (mx_shapes_is_grouped(s, size))
		share_rows(s, &run->groups, v);
}

/* Whether that value of the size brings the buffer over the ceiling or makes the shape impossible.
 */
static bool is_beyond(const struct mx_shapes *s, struct mx_far *f, int64_t v) {
	struct mx_plan p;
	struct mx_error why;
	mx_shapes_set(s, &f->run, f->size, v);
	if (mx_plan_make_run(s->c, &f->run, &p, &why))
		return true;
	const struct mx_buffer *b = &p.buffers[f->buffer];
	return b->bytes > mx_buffer_ceiling(b, f->ceiling);
}

int64_t mx_shapes_far(const struct mx_shapes *s, const struct mx_far *far) {
	struct mx_far f = *far;
	int64_t multiple = s->borders[f.size].multiple;
	int64_t low = 0, high = MOST_SIZE / multiple;
	f.run.tiles = 0;
	if (!s->has_tiles || !s->borders[f.size].contract || !s->borders[f.size].contract->axis)
		return 0;
	while (high - low > 1) {
		int64_t mid = (low + high) / 2;
		if (is_beyond(s, &f, mid * multiple))
			high = mid;
		else
			low = mid;
	}
	return high * multiple;
}

/* A size whose tiles are workgroups along an axis; a case with tiles has two. */
static unsigned draw_axis(const struct mx_shapes *s, struct dice *d) {
	unsigned list[MX_MAX_SIZES], n = 0;
	for (unsigned i = 0; i < s->sizes.n; i++)
		if (s->borders[i].contract && s->borders[i].contract->axis)
			list[n++] = i;
	return list[roll(d, n)];
}

/* Makes one size large: a buffer ends at a ceiling, one tile after it, or up to two tiles after it;
 * or the size is the largest of the contract. */
static void draw_far(const struct mx_shapes *s, struct mx_trial *t, struct dice *d) {
	struct mx_far f = { t->run, draw_axis(s, d), (unsigned)roll(d, s->c->n_buffers),
		            (unsigned)roll(d, MX_CEILINGS) };
	const struct mx_borders *b = &s->borders[f.size];
	int64_t far = mx_shapes_far(s, &f), multiple = b->multiple, tile = tile_of(b);
	const int64_t values[] = { far - multiple, far, far + tile,
		                   far + (int64_t)roll(d, (uint64_t)(2 * tile / multiple)) *
		                                   multiple };
	int64_t v = values[roll(d, 4)];
	struct mx_plan p;
	struct mx_error why;
	if (!far)
		return;
	mx_shapes_set(s, &t->run, f.size, v);
	if (mx_plan_make_run(s->c, &t->run, &p, &why))
		mx_shapes_set(s, &t->run, f.size, far - multiple);
}

/* Gives a size another value. A group's is that of one of the groups. */
static void set_size(const struct mx_shapes *s, unsigned size, int64_t v, struct mx_trial *t,
                     struct dice *d) {
	struct mx_run_groups *g = &t->run.groups;
	if (!mx_shapes_is_grouped(s, size) || !g->n) {
		t->run.sizes.at[size].value = v;
		return;
	}
	g->rows[roll(d, g->n)] = v;
	t->run.sizes.at[size].value = 0;
	for (unsigned i = 0; i < g->n; i++)
		t->run.sizes.at[size].value += g->rows[i];
}

static void draw_one(const struct mx_shapes *s, unsigned size, struct mx_trial *t, struct dice *d) {
	t->run.sizes.at[size].value = draw_size(s, &s->borders[size], d);
	if (mx_shapes_is_grouped(s, size))
		draw_groups(s, size, t, d);
}

/* Another value of one size of a trial that reached something first. */
static void vary(struct mx_shapes *s, struct mx_trial *t, struct dice *d) {
	unsigned size;
	int64_t value;
	if (mx_steer_sweep(s, t, &size, &value)) {
		set_size(s, size, value, t, d);
	} else {
		*t = *mx_steer_pick(s, roll(d, UINT64_MAX));
		draw_one(s, (unsigned)roll(d, s->sizes.n), t, d);
	}
	t->run.tiles = 0;
}

/* Half of the trials vary one that reached something first. */
static void draw(struct mx_shapes *s, struct mx_trial *t, struct dice *d) {
	*t = (struct mx_trial){ { s->sizes, MX_REGIME_GENERAL, s->variant }, 0 };
	if (s->n_kept && !s->unsteered && roll(d, 2))
		vary(s, t, d);
	else
		for (unsigned i = 0; i < s->sizes.n; i++)
			draw_one(s, i, t, d);
	t->run.regime = draw_regime(s->c, d);
	if (s->has_tiles && !roll(d, FAR_IN))
		draw_far(s, t, d);
	t->seed = 1 + roll(d, UINT32_MAX);
}

/* Limits of the contract join several sizes, so some draws have no plan. */
void mx_shapes_draw(struct mx_shapes *s, unsigned long number, struct mx_trial *t) {
	struct dice d = { s->seed, number, 0 };
	struct mx_plan p;
	struct mx_error why;
	for (unsigned i = 0; i < DRAWS; i++) {
		draw(s, t, &d);
		if (!mx_plan_make_run(s->c, &t->run, &p, &why))
			return;
	}
}
