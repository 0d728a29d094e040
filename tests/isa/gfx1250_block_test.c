/* The loads and stores of blocks of registers of gfx1250, against a model that goes register by
 * register: which M0 selects, and which lanes EXEC has. */
#include "gfx1250_program.h"

enum { BLOCK = 32, STRIDE = 4 * BLOCK, AT_BLOCKS = 0x5000, AT_AFTER = 0x8000, OLD = 40 };
enum { LOADS = 0, STORES = 1, SCRATCH = 2 };

static const struct form {
	const char *text;
	uint32_t code[3];
	size_t at; /* in the arena, or in scratch */
	bool scratch, stores;
} forms[] = {
#define UNPACK(...)                 __VA_ARGS__
#define ROW(text, dwords, at, what) { text, { UNPACK dwords }, at, (what)&SCRATCH, (what)&STORES },
	/* clang-format off */
ROW("global_load_block v[8:39], v[4:5], off", (0xee14c07c, 0x00000008, 0x00000004), AT_BLOCKS, LOADS)
ROW("global_load_block v[8:39], v2, s[6:7] offset:-128", (0xee14c006, 0x00000008, 0xffff8002), AT_BLOCKS - 128, LOADS)
ROW("global_store_block v[4:5], v[8:39], off offset:128", (0xee15007c, 0x04000000, 0x00008004), AT_BLOCKS + 128, STORES)
ROW("global_store_block v2, v[8:39], s[6:7] offset:-128", (0xee150006, 0x04000000, 0xffff8002), AT_BLOCKS - 128, STORES)
ROW("scratch_load_block v[8:39], off, off offset:16", (0xed14c07c, 0x00000008, 0x00001000), 16, SCRATCH | LOADS)
ROW("scratch_load_block v[8:39], v3, s5", (0xed14c005, 0x00020008, 0x00000003), 20, SCRATCH | LOADS)
ROW("scratch_store_block off, v[8:39], off offset:16", (0xed15007c, 0x04000000, 0x00001000), 16, SCRATCH | STORES)
ROW("scratch_store_block v3, v[8:39], s5", (0xed150005, 0x04020000, 0x00000003), 20, SCRATCH | STORES)
	/* clang-format on */
};
enum { FORMS = sizeof forms / sizeof *forms };

static const uint32_t addresses[] = {
	0x30040087,             /* v_lshlrev_b32_e32 v2, 7, v0 */
	0xa986ff00, 0x00005000, /* s_add_nc_u64 s[6:7], s[0:1], 0x5000 */
	0x7e080302,             /* v_mov_b32_e32 v4, v2 */
	0x7e0a0280,             /* v_mov_b32_e32 v5, 0 */
	0x50080806,             /* v_add_nc_u64_e32 v[4:5], s[6:7], v[4:5] */
	0x7e06028c,             /* v_mov_b32_e32 v3, 12 */
	0xbe850088,             /* s_mov_b32 s5, 8 */
};
static const uint32_t wait_idle[] = { 0xbf8a0000 }; /* s_wait_idle */

/* All of a block in scratch, by four registers at a time. */
static void move_scratch(struct code *c, bool stores, unsigned v, size_t at) {
	for (uint32_t k = 0; k < BLOCK; k += 4) {
		uint32_t offset = (uint32_t)(at + 4 * k) << 8;
		const uint32_t load[] = { 0xed05c07c, v + k, offset };
		const uint32_t store[] = { 0xed07407c, (v + k) << 23, offset };
		append(c, stores ? store : load, sizeof load);
	}
}

/* The complements of the sources are in scratch before. */
static void fill_scratch(struct code *c, size_t at) {
	for (uint32_t k = 0; k < BLOCK; k++) {
		uint32_t from = FIRST_SOURCE + k;
		uint32_t code = 0x7e006f00 | (OLD + k) << 17 | from; /* v_not_b32_e32 */
		append(c, &code, sizeof code);
	}
	move_scratch(c, true, OLD, at);
	APPEND(c, wait_idle);
}

static void run_form(struct machine *m, const struct form *f) {
	struct code c = { 0 };
	APPEND(&c, addresses);
	if (f->scratch)
		fill_scratch(&c, f->at);
	APPEND(&c, f->code);
	APPEND(&c, wait_idle);
	if (f->scratch && f->stores) {
		move_scratch(&c, false, FIRST_SOURCE, f->at);
		APPEND(&c, wait_idle);
	}
	for (unsigned r = 0; r < BLOCK; r += 4)
		move_group(&c, true, FIRST_SOURCE + r, place_in(AT_AFTER, r, 0));
	m->kernel.scratch_bytes = 256;
	run_gfx1250(m, c.dwords, c.bytes, USUAL_MODE);
}

/* ---- the model ---- */

static size_t dword_of(const struct form *f, unsigned lane, unsigned k) {
	return f->at + STRIDE * lane + 4 * k;
}

/* Register k of a lane after the instruction; in scratch, what its dword or the register has. */
static uint32_t register_after(const struct form *f, unsigned lane, unsigned k, bool selected,
                               const uint8_t *before) {
	uint32_t v = source_of(FIRST_SOURCE + k, lane), loaded;
	if (f->scratch)
		return selected == f->stores ? v : ~v;
	memcpy(&loaded, before + dword_of(f, lane, k), 4);
	return selected && !f->stores ? loaded : v;
}

static bool is_right(const struct form *f, uint32_t exec, uint32_t mask, const uint8_t *before) {
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned k = 0; k < BLOCK; k++) {
			bool on = exec >> l & 1, selected = mask >> k & 1;
			uint32_t old;
			memcpy(&old, before + dword_of(f, l, k), 4);
			uint32_t memory =
				on && selected && f->stores ? source_of(FIRST_SOURCE + k, l) : old;
			if (!f->scratch && get(dword_of(f, l, k)) != memory)
				return false;
			if (on && get(place_in(AT_AFTER, k, l)) !=
			                  register_after(f, l, k, selected, before))
				return false;
		}
	return true;
}

static void test_form(struct machine *m, const struct form *f) {
	static const uint32_t masks[] = { 0, ~0u, 1, 1u << 31, 0x80018089, 0x42100412, 0x00ff0ff0 };
	static uint8_t before[AT_AFTER];
	uint64_t seed = 1;
	unsigned right = 0, n = sizeof masks / sizeof *masks;
	for (unsigned i = 0; i < n; i++) {
		uint32_t exec = (uint32_t)(next_random(&seed) >> 20) | 1;
		fill_arena(0);
		for (size_t at = 0; at < AT_AFTER; at += 4)
			put(at, (uint32_t)(next_random(&seed) >> 20));
		put(AT_SCALARS + 4 * (18 - 16), exec);
		put(AT_SCALARS + 4 * (19 - 16), masks[i]);
		memcpy(before, arena, sizeof before);
		m->launch.seed = i;
		run_form(m, f);
		right += no_findings(m) && is_right(f, exec, masks[i], before);
	}
	if (!ok(right == n, "%s", f->text))
		diag("%u of %u masks", right, n);
}

/* ---- limits ---- */

static const uint32_t scaled[] = {
	0xee14c006, 0x00010008, 0x00000002, /* global_load_block v[8:39], v2, s[6:7] scale_offset */
};

static void test_limits(struct machine *m) {
	struct form f = forms[0];
	fill_arena(0);
	put(AT_SCALARS + 4 * (18 - 16), ~0u);
	put(AT_SCALARS + 4 * (19 - 16), 1);
	memcpy(f.code, scaled, sizeof f.code);
	run_form(m, &f);
	ok(finding_says(m, "scale_offset"), "no source has the unit of a block's scaled offset");
}

int main(void) {
	struct machine m = machine();
	for (unsigned i = 0; i < FORMS; i++)
		test_form(&m, &forms[i]);
	test_limits(&m);
	mx_report_free(&m.report);
	return done_testing();
}
