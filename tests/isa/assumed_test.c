/* Notes of assumptions: present if a result rests on an assumption, absent for a similar result
 * that does not. */
#include "machine_test.h"

enum { MOST_DWORDS = 12 };

struct row {
	const char *text;
	uint32_t code[MOST_DWORDS];
	size_t dwords;
	uint32_t mode;
	const char *note;
};

#define UNPACK(...)                   __VA_ARGS__
#define COUNT(...)                    (sizeof((uint32_t[]){ __VA_ARGS__ }) / 4)
#define ROW(text, dwords, mode, note) { text, { UNPACK dwords }, COUNT dwords, mode, note },
static const struct row rows[] = {
#include "assumed.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const uint32_t end[] = {
	0xbf8cc07f, /* s_waitcnt lgkmcnt(0) */
	0xbf810000, /* s_endpgm */
};

static void test_row(struct machine *m, const struct row *row) {
	struct code c = { 0 };
	fill_arena(0);
	append(&c, row->code, 4 * row->dwords);
	APPEND(&c, end);
	m->kernel.mode = row->mode;
	run_code(m, &c);
	const struct mx_finding *f = only_finding(m);
	bool right = *row->note ? f && f->kind == MX_ASSUMED_NOTE && finding_says(m, row->note)
	                        : no_findings(m);
	if (!ok(right, "%s: %s", row->text, *row->note ? row->note : "no note"))
		show_findings(m);
}

/* The note names the first lane, wave and workgroup, independent of the schedule. */
static void test_place(struct machine *m) {
	static const uint32_t code[] = {
		0x7e000d00,             /* v_cvt_f32_u32_e32 v0, v0 */
		0xd1010000, 0x0001e500, /* v_add_f32_e64 v0, v0, 1.0 */
		0xd1010000, 0x0001e300, /* v_add_f32_e64 v0, v0, -0.5 */
		0x0a0000f0,             /* v_mul_f32_e32 v0, 0.5, v0 */
		0xd1dd0000, 0x02010100, /* v_cvt_pk_u8_f32 v0, v0, 0, 0 */
		0xbf810000,             /* s_endpgm */
	};
	m->kernel.mode = USUAL_MODE;
	m->launch.grid[0] = 64;
	m->launch.block[0] = 128;
	for (m->launch.threads = 1; m->launch.threads <= 4; m->launch.threads += 3) {
		RUN(m, code);
		const struct mx_finding *f = only_finding(m);
		ok(f && f->kind == MX_ASSUMED_NOTE && f->count == 128 && !f->workgroup[0] &&
		           !f->wave && !f->lane,
		   "%u threads: one note for 128 waves, at the first lane of the first",
		   m->launch.threads);
	}
	m->launch.threads = 0;
}

int main(void) {
	struct machine m = machine();
	for (unsigned i = 0; i < ROWS; i++)
		test_row(&m, &rows[i]);
	test_place(&m);
	mx_report_free(&m.report);
	return done_testing();
}
