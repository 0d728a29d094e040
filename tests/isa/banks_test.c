/* Bank conflicts in LDS: which lanes conflict, how many banks there are, and what is counted. */
#include "ds_scene.h"

#include <stdio.h>

/* An instruction, the phase of each four lanes as they were measured, and the banks. */
static const struct measured {
	uint32_t code[2];
	unsigned bytes;
	const char *phases;
	unsigned banks;
	const char *name;
} measured[] = {
	{ { 0xd86c0000, 0x08000001, /* ds_read_b32 v8, v1 */ },
	  4,
	  "0000000011111111",
	  32,
	  "ds_read_b32" },
	{ { 0xd8ec0000, 0x08000001, /* ds_read_b64 v[8:9], v1 */ },
	  8,
	  "0000000011111111",
	  64,
	  "ds_read_b64" },
	{ { 0xd9fc0000, 0x08000001, /* ds_read_b96 v[8:10], v1 */ },
	  12,
	  "0123103245675476",
	  32,
	  "ds_read_b96" },
	{ { 0xd9fe0000, 0x08000001, /* ds_read_b128 v[8:11], v1 */ },
	  16,
	  "0110100123323223",
	  64,
	  "ds_read_b128" },
	{ { 0xd81a0000, 0x00000401, /* ds_write_b32 v1, v4 */ },
	  4,
	  "0000000011111111",
	  32,
	  "ds_write_b32" },
	{ { 0xd89a0000, 0x00000401, /* ds_write_b64 v1, v[4:5] */ },
	  8,
	  "0000111122223333",
	  32,
	  "ds_write_b64" },
	{ { 0xd9bc0000, 0x00000401, /* ds_write_b96 v1, v[4:6] */ },
	  12,
	  "0011223344556677",
	  32,
	  "ds_write_b96" },
	{ { 0xd9be0000, 0x00000401, /* ds_write_b128 v1, v[4:7] */ },
	  16,
	  "0011223344556677",
	  32,
	  "ds_write_b128" },
};

/* The counts of the instruction after the prologue, in a launch of these lanes and addresses; NULL
 * if there are none. */
static const struct mx_bank_use *use_of(struct machine *m, const uint32_t code[2], uint64_t lanes) {
	scene->exec = lanes;
	run_op(m, code, 8);
	const struct mx_bank_use *u = m->report.stats.banks + sizeof prologue / 4;
	return m->report.stats.banks && u->accesses ? u : NULL;
}

static uint64_t cycles(struct machine *m, const uint32_t code[2], uint64_t lanes) {
	const struct mx_bank_use *u = use_of(m, code, lanes);
	return u ? u->cycles : UINT64_MAX;
}

/* ---- the measurement: two lanes, one bank ---- */

static bool lanes_conflict(struct machine *m, const struct measured *x, unsigned a, unsigned b) {
	scene->v1[a] = 0;
	scene->v1[b] = 4 * x->banks;
	return cycles(m, x->code, 1ull << a | 1ull << b);
}

static void test_phases(struct machine *m, const struct measured *x) {
	for (unsigned a = 0; a < LANES; a += 4)
		for (unsigned b = 3; b < LANES; b += 4)
			if (lanes_conflict(m, x, a, b) != (x->phases[a / 4] == x->phases[b / 4])) {
				ok(false, "%s: lanes %u and %u", x->name, a, b);
				return;
			}
	ok(true, "%s: lanes conflict if a phase has both", x->name);
}

/* The distance in dwords at which two lanes of a phase first conflict. */
static void test_banks(struct machine *m, const struct measured *x) {
	unsigned distance = x->bytes / 4;
	do
		scene->v1[1] = 4 * distance++;
	while (distance < 200 && !cycles(m, x->code, 3));
	unsigned overlap = x->bytes / 4 - 1;
	ok(distance - 1 + overlap == x->banks, "%s: %u banks", x->name, x->banks);
}

/* ---- what is counted ---- */

static const uint32_t *const read_b32 = measured[0].code;

static void test_counts(struct machine *m) {
	static const uint32_t read2[] = {
		0xd86e0100, 0x08000001, /* ds_read2_b32 v[8:9], v1 offset1:1 */
	};
	static const uint32_t add[] = { 0xd8000000, 0x00000401, /* ds_add_u32 v1, v4 */ };
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = 128 * (l % 32);
	ok(cycles(m, read_b32, ~0ull) == 2 * 31, "32 lanes in one bank: 31 cycles for each half");
	ok(cycles(m, read2, ~0ull >> 34) == 2 * 29, "of two elements each is an access");
	ok(cycles(m, add, 0xff) == 7, "an atomic is a write");
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = l % 4;
	ok(cycles(m, read_b32, ~0ull) == 0, "lanes that read one dword have no conflict");
}

static void test_not_counted(struct machine *m) {
	static const uint32_t permute[] = {
		0xd87e0000, 0x08000401, /* ds_bpermute_b32 v8, v1, v4 */
	};
	ok(!use_of(m, permute, ~0ull), "ds_bpermute does not access LDS");
	m->launch.analysis = 0;
	ok(!use_of(m, read_b32, ~0ull) && !m->report.stats.banks, "nothing is counted unasked");
	m->launch.analysis = MX_ANALYSE_BANKS;
}

static void test_threads(struct machine *m) {
	enum { GROUPS = 4000, READ = 4 /* byte of the program */ };
	static const uint32_t program[] = {
		0x24020087,             /* v_lshlrev_b32_e32 v1, 7, v0 */
		0xd86c0000, 0x08000001, /* ds_read_b32 v8, v1 */
		0xbf810000,             /* s_endpgm */
	};
	m->kernel.lds_bytes = 128 * LANES;
	m->launch.grid[0] = GROUPS;
	m->launch.threads = 4;
	RUN(m, program);
	const struct mx_bank_use *u = m->report.stats.banks + READ / 4;
	ok(u->accesses == GROUPS && u->cycles == GROUPS * 62 && u->pc == READ &&
	           !strcmp(mx_op_name(&mx_gfx950, u->op), "ds_read_b32"),
	   "the workgroups of all threads are counted");
}

int main(void) {
	struct machine m = scene_machine();
	m.launch.analysis = MX_ANALYSE_BANKS;
	set_scene();
	for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
		set_scene();
		test_phases(&m, &measured[i]);
		set_scene();
		test_banks(&m, &measured[i]);
	}
	test_counts(&m);
	test_not_counted(&m);
	test_threads(&m);
	mx_report_free(&m.report);
	return done_testing();
}
