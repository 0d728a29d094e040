/* The watchers of a run: each callback at the right time, and only requested callbacks. */
#include "machine_test.h"

#include "../../ref/isa/launch/launch.h"
#include "../../ref/isa/schedule/inflight.h"
#include "../../ref/isa/schedule/schedule.h"

static const uint32_t program[] = {
	0xc0020100, 0x00000010, /* s_load_dword s4, s[0:1], 0x10 */
	0x24020082,             /* v_lshlrev_b32_e32 v1, 2, v0 */
	0x7e0402ff, 0x12345678, /* v_mov_b32_e32 v2, 0x12345678 */
	0xd81a0000, 0x00000201, /* ds_write_b32 v1, v2 */
	0xd8400000, 0x03000201, /* ds_add_rtn_u32 v3, v1, v2 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc684008, 0x007f0200, /* scratch_store_short off, v2, off offset:8 */
	0xdc484008, 0x057f0000, /* scratch_load_ushort v5, off, off offset:8 */
	0xdc608100, 0x00000200, /* global_store_byte v0, v2, s[0:1] offset:256 */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xbf810000,             /* s_endpgm */
};

/* ---- a watcher that records its calls ---- */

enum { MOST = 8192, LANE = 7 };

/* A letter for each call; accesses of one lane, and without a lane. */
struct notes {
	char text[MOST];
	size_t n;
	char name;
	unsigned wants;
	char touches[400];
};

/* Calls of all watchers, in order. */
static char names[MOST];
static size_t n_names;

static void note(struct notes *s, char what) {
	if (s->n + 1 < MOST)
		s->text[s->n++] = what;
	if (n_names + 1 < MOST)
		names[n_names++] = s->name;
}

static void launch_end(void *context, struct mx_run *run) {
	(void)run;
	note(context, 'E');
}
static bool workgroup_new(void *context, struct mx_group *g) {
	struct notes *s = context;
	g->watcher_data[MX_WATCHER_ORDER] = s;
	note(s, 'n');
	return true;
}
static void workgroup_free(void *context, struct mx_group *g) {
	(void)g;
	note(context, 'f');
}
static void workgroup_begin(void *context, struct mx_group *g) {
	(void)g;
	note(context, 'b');
}
static void workgroup_end(void *context, struct mx_group *g) {
	(void)g;
	note(context, 'e');
}
static void barrier_opens(void *context, struct mx_group *g, unsigned barrier) {
	(void)g, (void)barrier;
	note(context, 'o');
}
static unsigned wave_begin(void *context, struct mx_wave *w) {
	struct notes *s = context;
	(void)w;
	note(s, 'w');
	return s->wants;
}
static uint32_t issue(void *context, struct mx_wave *w, const struct mx_inst *in, bool skipped) {
	(void)w, (void)in;
	note(context, skipped ? 's' : 'i');
	return 0;
}
static void operation(void *context, struct mx_wave *w, struct mx_memop *m) {
	(void)w;
	m->note = m->stream == MX_STREAM_DS ? context : NULL;
	note(context, 'O');
}
static void landing(void *context, struct mx_wave *w, struct mx_memop *m) {
	(void)w;
	note(context, m->note ? 'D' : 'L');
}
static void landed(void *context, struct mx_wave *w, struct mx_memop *m) {
	(void)w, (void)m;
	note(context, 'l');
}
static void wait(void *context, struct mx_wave *w) {
	(void)w;
	note(context, 'W');
}
static void arrive(void *context, struct mx_wave *w, const struct mx_inst *in, unsigned barrier) {
	(void)w, (void)in, (void)barrier;
	note(context, 'a');
}
static void pass(void *context, struct mx_wave *w, unsigned barrier) {
	(void)w, (void)barrier;
	note(context, 'p');
}
static void access(void *context, const struct mx_wave *w, const struct mx_touch *t) {
	static const char spaces[] = "lsgc";
	struct notes *s = context;
	size_t n = strlen(s->touches);
	(void)w;
	note(s, 't');
	if (t->lane == LANE || t->lane < 0)
		snprintf(s->touches + n, sizeof s->touches - n, "%c%s%s 0x%x+%u=%x, ",
		         spaces[__builtin_ctz(t->space / MX_WATCH_LDS)], t->atomic ? " atomic" : "",
		         t->write ? " write" : " read", (unsigned)(t->address & 0xfff), t->bytes,
		         t->value);
}

static struct mx_watcher watcher(struct notes *s, char name) {
	*s = (struct notes){ .name = name };
	n_names = 0;
	return (struct mx_watcher){ .context = s,
		                    .launch_end = launch_end,
		                    .workgroup_new = workgroup_new,
		                    .workgroup_free = workgroup_free,
		                    .workgroup_begin = workgroup_begin,
		                    .workgroup_end = workgroup_end,
		                    .barrier_opens = barrier_opens,
		                    .issue = issue,
		                    .operation = operation,
		                    .landing = landing,
		                    .landed = landed,
		                    .wait = wait,
		                    .arrive = arrive,
		                    .pass = pass,
		                    .access = access };
}

/* ---- a launch with watchers of our own ---- */

static void watch(struct machine *m, const struct mx_watcher *watchers, unsigned n) {
	struct mx_run run = { .launch = &m->launch,
		              .report = &m->report,
		              .isa = &mx_gfx950,
		              .handlers = mx_gfx950.handlers(),
		              .max_instructions = 1 << 20 };
	_Atomic uint64_t next = 0;
	static struct mx_residents r;
	fill_arena(0x11);
	mx_report_free(&m->report);
	m->report.stats.by_op = calloc(mx_gfx950.n_ops, sizeof *m->report.stats.by_op);
	m->kernel.entry = (uintptr_t)program;
	m->kernel.lds_bytes = 256;
	m->kernel.scratch_bytes = 16;
	m->launch.kernel = &m->kernel;
	struct mx_program *p =
		mx_program_new(&mx_gfx950, program, sizeof program, (uintptr_t)program);
	m->launch.program = p;
	mx_run_policy(&run);
	memcpy(run.watchers + MX_WATCHER_ORDER + 1 - n, watchers, n * sizeof *watchers);
	r = (struct mx_residents){ .next = &next, .end = 1 };
	mx_residents_run(&r, &run, UINT64_MAX);
	mx_residents_free(&r);
	mx_watch_launch_end(&run);
	mx_program_free(p);
}

static size_t count(const struct notes *s, char what) {
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->text[i] == what;
	return n;
}

static void test_moments(struct machine *m) {
	static struct notes s;
	struct mx_watcher w = watcher(&s, 'A');
	watch(m, &w, 1);
	if (!ok(!m->report.n_findings && !strncmp(s.text, "nbiO", 4) &&
	                !strncmp(s.text + s.n - 6, "opiefE", 6),
	        "a workgroup begins, issues, reaches its barrier, ends and is freed"))
		diag("%s", s.text);
	ok(count(&s, 'i') == 12 && count(&s, 's') == 0, "a call for each instruction");
	ok(count(&s, 'O') == 6 && count(&s, 'L') + count(&s, 'D') == 6 && count(&s, 'l') == 6,
	   "calls for each memory operation at issue, before and after its landing");
	ok(count(&s, 'D') == 2, "a note belongs to one operation only");
	ok(count(&s, 'W') == 2 && count(&s, 'a') == 1 && count(&s, 'o') == 1 && count(&s, 'p') == 1,
	   "calls for waits, the arrival at the barrier, its opening and the end of the wait");
}

static void test_touches(struct machine *m) {
	static struct notes s;
	struct mx_watcher w = watcher(&s, 'A');
	w.operation = NULL;
	w.landing = w.landed = NULL;
	m->launch.schedule = &(struct mx_schedule){ .odd = UINT64_MAX };
	watch(m, &w, 1);
	m->launch.schedule = NULL;
	char expected[400];
	snprintf(expected, sizeof expected,
	         "c read 0x%x+4=11111111, l write 0x1c+4=12345678, "
	         "l atomic read 0x1c+4=12345678, l atomic write 0x1c+4=2468acf0, "
	         "s write 0x8+2=5678, s read 0x8+2=5678, g write 0x%x+1=78, ",
	         (unsigned)((uintptr_t)arena + 16) & 0xfff,
	         (unsigned)((uintptr_t)arena + 256 + LANE) & 0xfff);
	if (!ok(!strcmp(s.touches, expected),
	        "an access comes with its space, kind, lane, address and the bytes of its value"))
		diag("got %s", s.touches);
	ok(count(&s, 't') == 1 + 64 * 6, "for each lane");
}

static void test_wanted(struct machine *m) {
	static struct notes s;
	struct mx_watcher w = watcher(&s, 'A');
	w.wave_begin = wave_begin;
	s.wants = MX_WATCH_WAIT;
	watch(m, &w, 1);
	s.text[s.n] = 0;
	ok(!strcmp(s.text, "nbwWWoefE"), "only callbacks requested for the wave are called");
}

static void test_order(struct machine *m) {
	static struct notes s[2];
	struct mx_watcher w[2] = { watcher(&s[0], 'A'), watcher(&s[1], 'B') };
	w[0].access = w[1].access = NULL;
	w[0].issue = w[1].issue = NULL;
	w[0].operation = w[1].operation = NULL;
	w[0].landing = w[1].landing = NULL;
	w[0].workgroup_new = w[1].workgroup_new = NULL;
	watch(m, w, 2);
	bool in_turn = n_names && n_names % 2 == 0;
	for (size_t i = 0; i < n_names; i += 2)
		in_turn &= names[i] == 'A' && names[i + 1] == 'B';
	ok(in_turn, "the first of two watchers in the run is called first");
}

int main(void) {
	struct machine m = machine();
	test_moments(&m);
	test_touches(&m);
	test_wanted(&m);
	test_order(&m);
	mx_report_free(&m.report);
	done_testing();
	return 0;
}
