/* Random programs of waves that signal a barrier by one instruction and wait for it by another,
 * with accesses in between, named barriers, and places in LDS that are written again: recorded by
 * operation, the accesses give the findings and the proof that they give cell by cell; and a proved
 * program leaves the same bytes under other schedules.
 *
 *   split_programs_test.t SEED ROUNDS */
#include "both_ways.h"
#include "toy_programs.h"

enum { ROOM = 600, PROGRAMS = 400, LDS_ROOM = 4096, MEMORY = 8192, OTHERS_TRIED = 4 };

/* ---- programs ---- */

struct program {
	uint64_t random;
	uint32_t code[ROOM];
	unsigned n, waves, groups;
	unsigned weak;   /* the chance in 64 that synchronisation is missing; 0: nearly none is */
	unsigned writer; /* in this phase, of a program that is not weak */
	unsigned often;  /* the place that it uses most */
	struct touched {
		unsigned reads, writes;
	} in_flight[COUNTERS]; /* by counter: of the writer */
};

static unsigned any(struct program *p, unsigned n) {
	return (unsigned)(next_random(&p->random) >> 32) % n;
}

static void emit(struct program *p, uint32_t dword) {
	p->code[p->n++] = dword;
}

/* LDS has a value in all places; then all waves meet. */
static void clear_places(struct program *p) {
	static const uint32_t clear[] = {
		T_LDS_STORE(5, 6), T_WAIT_LDS,        T_SIGNAL(0), T_AWAIT(0),
		T_LDS_STORE(5, 1), T_LDS_STORE(5, 7), T_WAIT_LDS,
	};
	for (unsigned i = 0; i < sizeof clear / sizeof *clear; i++)
		emit(p, clear[i]);
}

/* v1 own items, v2 those of wave 0, v6 the next wave's, v7 those 992 bytes after v6, at the end of
 * a page, v8 own items of what is stored at the end. v0, v5 and v2 are data: different in each
 * wave, the same in all lanes, the same in all waves. Loads go to v3. */
static void begin(struct program *p) {
	static const uint32_t before[] = {
		ITEM_ADDRESS,   LANE_ADDRESS,   T_WAVE_SIZE(5), T_SHL2(5, 5),        T_ADD(6, 1, 5),
		T_SHL2(7, 5),   T_ADD(7, 7, 7), T_ADD(7, 6, 7), T_SHL2(8, 5),        T_SHL2(8, 8),
		T_ADD(8, 8, 8), T_ADD(8, 8, 1), T_WAVE_SIZE(4), T_OP(LANE, 3, 0, 0),
	};
	p->n = 0;
	for (unsigned i = 0; i < sizeof before / sizeof *before; i++)
		emit(p, before[i]);
	clear_places(p);
	emit(p, T_EXPECT(1, p->waves));
	emit(p, T_EXPECT(2, 2));
	emit(p, T_JOIN(1));
	emit(p, T_SIGNAL(0));
	emit(p, T_AWAIT(0));
}

static unsigned place(struct program *p) {
	static const unsigned places[] = { 1, 2, 6, 7 };
	return places[any(p, 2) ? p->often : any(p, 4)];
}

static uint32_t write_of(struct program *p) {
	static const unsigned data[] = { 0, 5, 2 };
	switch (any(p, 5)) {
	case 0: return T_TILE_IN(place(p), place(p));
	case 1:
		return T_COPY_IN(any(p, 8) ? place(p) : 5,
		                 place(p)); /* 5: all lanes to one dword */
	case 2: return T_STORE(data[any(p, 3)], place(p));
	default: return T_LDS_STORE(data[any(p, 3)], place(p));
	}
}

/* Several workgroups copy nothing out: all of their accesses would be races. */
static uint32_t read_of(struct program *p) {
	switch (any(p, p->groups > 1 ? 4 : 6)) {
	case 0: return T_LOAD(3, place(p));
	case 4: return T_TILE_OUT(place(p), place(p));
	case 5: return T_COPY_OUT(place(p), place(p));
	default: return T_LDS_LOAD(3, place(p));
	}
}

static void wait_for_all(struct program *p) {
	static const uint32_t waits[] = { T_WAIT_LDS, T_WAIT(TILE, 0), T_WAIT(ASYNC, 0),
		                          T_WAIT(IN, 0), T_WAIT(OUT, 0) };
	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
		if (any(p, 64) >= p->weak)
			emit(p, waits[i]);
	memset(p->in_flight, 0, sizeof p->in_flight);
}

/* What an operation touches. */
enum { IN_LDS = 1, IN_MEMORY = 2, IN_V3 = 4 };
static struct touched touched_by(uint32_t code) {
	unsigned op = code >> 24 & 31;
	switch (op) {
	case TILE_IN:
	case COPY_IN: return (struct touched){ IN_MEMORY, IN_LDS };
	case TILE_OUT:
	case COPY_OUT: return (struct touched){ IN_LDS, IN_MEMORY };
	case LOAD: return (struct touched){ IN_MEMORY, IN_V3 };
	case LDS_LOAD: return (struct touched){ IN_LDS, IN_V3 };
	case STORE: return (struct touched){ 0, IN_MEMORY };
	default: return (struct touched){ 0, IN_LDS };
	}
}

/* An operation, after waits for those in flight that touch the same. */
static void emit_after_waits(struct program *p, uint32_t code) {
	unsigned counter = streams[stream_of(code >> 24 & 31) & 7].counter;
	struct touched t = touched_by(code);
	for (unsigned c = 0; c < COUNTERS; c++) {
		struct touched *f = &p->in_flight[c];
		bool in_order = c == counter && c != ASYNC;
		if (in_order || !((f->writes & (t.reads | t.writes)) | (f->reads & t.writes)))
			continue;
		emit(p, T_WAIT(c, 0));
		*f = (struct touched){ 0 };
	}
	if (p->writer < p->waves)
		emit(p, T_ONLY(p->writer, 1));
	emit(p, code);
	p->in_flight[counter].reads |= t.reads;
	p->in_flight[counter].writes |= t.writes;
}

/* Accesses of all waves or of one. One wave writes anywhere, or all of them own items. */
static void emit_accesses(struct program *p, bool write) {
	for (unsigned n = 1 + any(p, p->weak ? 3 : 6); n--;) {
		if (p->weak) {
			if (any(p, 2))
				emit(p, T_ONLY(any(p, p->waves), 1));
			emit(p, write ? write_of(p) : read_of(p));
		} else if (!write && p->writer >= p->waves) {
			emit_after_waits(p,
			                 any(p, 2) ? T_LDS_LOAD(3, place(p)) : T_LOAD(3, place(p)));
		} else if (p->writer < p->waves) {
			uint32_t code = any(p, 2) ? write_of(p) : read_of(p);
			if (p->groups == 1 || !(touched_by(code).writes & IN_MEMORY))
				emit_after_waits(p, code);
		} else if (write)
			emit(p, T_LDS_STORE(any(p, 2) ? 0 : 5, 1));
	}
}

/* A wave alone, or two of them, meet at barrier 2. */
static void meet_in_pair(struct program *p) {
	unsigned first = any(p, p->waves), second = (first + 1) % p->waves;
	for (unsigned i = 0; i < 2; i++) {
		emit(p, T_ONLY(i ? second : first, 3));
		emit(p, T_SIGNAL(2));
		emit(p, any(p, 4) ? T_OP(NOP, 0, 0, 0) : read_of(p));
		emit(p, T_AWAIT(2));
	}
}

/* v4 depends on all that v3 has been. */
static void use_read(struct program *p) {
	emit(p, T_SHL2(4, 4));
	emit(p, T_ADD(4, 4, 3));
}

static void meet(struct program *p) {
	unsigned barrier = any(p, 3) ? 0 : 1;
	wait_for_all(p);
	if (!p->weak || !any(p, 4))
		use_read(p);
	if (any(p, 64) < p->weak)
		return;
	if (!any(p, p->weak ? 8 : 32)) {
		meet_in_pair(p);
		return;
	}
	emit(p, T_SIGNAL(barrier));
	if (!any(p, p->weak ? 8 : 24))
		emit_accesses(p, p->weak && !any(p, 3));
	emit(p, T_AWAIT(barrier));
}

/* Stores v4, and what LDS has at the end, to places of one workgroup. */
static void store_all(struct program *p) {
	static const unsigned at[] = { 1, 2, 6, 7 };
	emit(p, T_SIGNAL(0));
	emit(p, T_AWAIT(0));
	for (unsigned i = 0; i < 4; i++) {
		emit(p, T_LDS_LOAD(3, at[i]));
		emit(p, T_WAIT_LDS);
		use_read(p);
	}
	emit(p, T_STORE(4, 8));
}

/* Leaves out waits of a program that has all of them. */
static void leave_out(struct program *p, unsigned waits) {
	for (unsigned tries = 40; waits && tries--;) {
		unsigned i = any(p, p->n);
		if (p->code[i] >> 24 != T_WAIT(0, 0) >> 24)
			continue;
		p->code[i] = T_OP(NOP, 0, 0, 0);
		waits--;
	}
}

/* Phases that write, and phases that read. */
static void make_program(struct program *p, uint64_t seed) {
	*p = (struct program){ .random = seed * 0x9e3779b97f4a7c15 + 1 };
	p->waves = 2 + any(p, 3);
	p->groups = 1 + !any(p, 4);
	p->weak = any(p, 4) ? 0 : 1 + any(p, 12);
	p->often = any(p, 4);
	begin(p);
	for (unsigned phases = 2 + any(p, 6); phases--;) {
		p->writer = any(p, 2 * p->waves);
		emit_accesses(p, phases % 2 || !any(p, 4));
		meet(p);
	}
	wait_for_all(p);
	if (p->groups == 1)
		store_all(p);
	emit(p, T_END);
	if (!p->weak && any(p, 2))
		leave_out(p, 1 + any(p, 4));
}

/* ---- both ways ---- */

static struct mx_report run_way_of(const struct program *p, uint64_t seed, bool by_cells) {
	struct mx_program *code = mx_program_new(&toy32, p->code, 4 * p->n, (uintptr_t)p->code);
	struct machine m = ready(code, p->code);
	m.launch.block[0] = 32 * p->waves;
	m.launch.grid[0] = p->groups;
	m.launch.seed = seed;
	m.launch.lane_by_lane = by_cells;
	m.kernel.lds_bytes = LDS_ROOM;
	fill_arena(0);
	for (uint32_t at = 0; at < MEMORY; at += 4)
		put(at, at / 256);
	run(&m);
	need(m.ran, "memory for a launch");
	mx_program_free(code);
	return m.report;
}

/* Tiles of rows, without padding or with it. */
static void draw_tile_of(struct program *p) {
	static const uint32_t row[MX_TDM_DWORDS] = ROW_OF(32);
	memcpy(tile, row, sizeof tile);
	tile[5] = tile[7] = (16u << any(p, 4)) << 16;
	if (!any(p, 3))
		tile[4] |= 1 << 20; /* after each 8 bytes 4 */
}

static void show_report(const struct mx_report *r, const char *way) {
	char text[MX_LINE_ROOM];
	mx_proof_text(&r->proof, text, sizeof text);
	diag("%s: %s, %zu findings", way, text, r->n_findings);
	for (size_t i = 0; i < r->n_findings; i++) {
		mx_finding_text(r, &r->findings[i], text, sizeof text);
		diag("  %s", text);
	}
}

static void show_program(const struct program *p) {
	char text[MX_LINE_ROOM];
	for (unsigned i = 0; i < p->n; i++) {
		toy32.disassemble(p->code + i, 1, 0, text, sizeof text);
		diag("+0x%03x %08x %s", 4 * i, p->code[i], text);
	}
}

/* Whether memory has these bytes, but for those that have no value. */
static bool memory_is(const uint8_t *bytes) {
	for (size_t i = 0; i < ARENA; i++)
		if (state[i] & MX_WRITTEN && arena[i] != bytes[i])
			return false;
	return true;
}

/* Whether other schedules leave the same bytes as the last one. */
static bool is_same_under_others(const struct program *p, uint64_t seed) {
	static uint8_t first[ARENA];
	bool same = true;
	memcpy(first, arena, sizeof first);
	for (unsigned i = 1; i <= OTHERS_TRIED && same; i++) {
		struct mx_report other = run_way_of(p, seed + i, false);
		same = memory_is(first);
		mx_report_free(&other);
	}
	return same;
}

struct count {
	unsigned same, sound, racing, proved;
};

static void try_program(uint64_t seed, struct count *c) {
	static struct program p;
	make_program(&p, seed);
	draw_tile_of(&p);
	struct mx_report a = run_way_of(&p, seed, true), b = run_way_of(&p, seed, false);
	bool same = same_findings(&a, &b) && same_proof(&a.proof, &b.proof);
	bool proved = b.proof.outcome == MX_PROVED;
	bool sound = !proved || is_same_under_others(&p, seed);
	c->same += same;
	c->sound += sound;
	c->racing += b.n_findings > 0;
	c->proved += proved;
	if (!same || !sound) {
		diag("program %llu, %u waves", (unsigned long long)seed, p.waves);
		show_program(&p);
		show_report(&a, "by cells");
		show_report(&b, "by operation");
	}
	mx_report_free(&a);
	mx_report_free(&b);
}

int main(int argc, char **argv) {
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned n = PROGRAMS * rounds_of(argc, argv, 50, 5000);
	struct count c = { 0 };
	for (unsigned i = 0; i < n && 2 * i - c.same - c.sound < 3; i++)
		try_program(seed + i, &c);
	ok(c.same == n, "%u programs have the findings and proofs that they have cell by cell", n);
	ok(c.sound == n, "those that are proved leave the same bytes under other schedules");
	ok(c.racing > n / 5 && c.proved > n / 10, "%u have findings, %u are proved", c.racing,
	   c.proved);
	return done_testing();
}
