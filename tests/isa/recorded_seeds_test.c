/* Seeds that were recorded replay the same: schedule and memory of a seed do not change from one
 * version to the next, so a seed that a hunt found, or a report names, keeps its meaning.
 * The table changes only on purpose, with a line in CHANGELOG.md. */
#include "machine_test.h"

/* Waves that race through LDS and device memory, with operations of every counter. */
static const uint32_t program[] = {
	0x200a0086,             /* v_lshrrev_b32_e32 v5, 6, v0 */
	0x7e180505,             /* v_readfirstlane_b32 s12, v5 */
	0x260c00bf,             /* v_and_b32_e32 v6, 63, v0 */
	0x240c0c82,             /* v_lshlrev_b32_e32 v6, 2, v6 */
	0xbe880000,             /* s_mov_b32 s8, s0 */
	0xbe890001,             /* s_mov_b32 s9, s1 */
	0xb00a1000,             /* s_movk_i32 s10, 0x1000 */
	0xbe8b00ff, 0x00027000, /* s_mov_b32 s11, 0x27000 */
	0xbe850084,             /* s_mov_b32 s5, 4 */
	0xb07c0100,             /* s_movk_i32 m0, 0x100 */
	0xd81a0000, 0x00000606, /* ds_write_b32 v6, v6 */
	0xd81a0100, 0x00000606, /* ds_write_b32 v6, v6 offset:256 */
	0xd81a0200, 0x00000606, /* ds_write_b32 v6, v6 offset:512 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf8a0000,             /* s_barrier */
	0xdc508000, 0x01000006, /* global_load_dword v1, v6, s[0:1] */
	0xe0511100, 0x80020006, /* buffer_load_dword v6, s[8:11], 0 offen offset:256 lds */
	0xc0020100, 0x00000040, /* s_load_dword s4, s[0:1], 0x40 */
	0xd81a0000, 0x00000506, /* ds_write_b32 v6, v5 */
	0xd86c0100, 0x03000006, /* ds_read_b32 v3, v6 offset:256 */
	0xd8000200, 0x00000506, /* ds_add_u32 v6, v5 offset:512 */
	0xbf8c0171,             /* s_waitcnt vmcnt(1) lgkmcnt(1) */
	0x68060303,             /* v_add_u32_e32 v3, v3, v1 */
	0xdc708200, 0x00000306, /* global_store_dword v6, v3, s[0:1] offset:512 */
	0xdd088400, 0x00000106, /* global_atomic_add v6, v1, s[0:1] offset:1024 */
	0xbf8a0000,             /* s_barrier */
	0x80858105,             /* s_sub_u32 s5, s5, 1 */
	0xbf078005,             /* s_cmp_lg_u32 s5, 0 */
	0xbf85ffea,             /* s_cbranch_scc1 65514 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xbf810000,             /* s_endpgm */
};

enum { SEEDS = 24, USED = 0x1000 };

/* recorded_seeds_test.t print */
static const uint64_t recorded[SEEDS] = {
	0xaf432c59c59a8aee, 0x61043ebf9ce8882b, 0x0ca4fe3f245e4315, 0xc1e44308b91b9203,
	0x8fdddd3cec0719d6, 0x373e3c63f1ddbb4e, 0xe40a588283fccdfa, 0x96b964d0719be65a,
	0xc4a54ab74c17f109, 0xe785d44cca2acdf8, 0x7cf8e657ceb712eb, 0xb7f26c58515c8d94,
	0x1f5876fe83614bda, 0xedd3061503ed5097, 0x4e60cd6f99dabc68, 0xa2083aae89bb1d45,
	0x4bc0c8e1534ab4f2, 0x40ab9d1e42d1e930, 0xd41e3aef5fa9f69a, 0xc4e9da536ba12e14,
	0x3fd335c2fd479d61, 0x679c11f8b6821563, 0xe57271472147ed85, 0x5c606e3c0ccf27a0,
};

/* FNV-1a. */
static uint64_t add(uint64_t hash, uint64_t value) {
	for (unsigned i = 0; i < 8; i++)
		hash = (hash ^ (value >> 8 * i & 0xff)) * 0x100000001b3;
	return hash;
}

static uint64_t hash_of(const struct mx_schedule *s) {
	uint64_t h = add(add(add(0xcbf29ce484222325, s->n), s->pattern), s->order);
	for (size_t i = 0; i < s->n; i++) {
		const struct mx_deviation *d = &s->deviations[i];
		h = add(add(add(h, d->group), d->wave), (uint64_t)d->kind);
		h = add(add(add(h, d->issue), d->value), d->turn);
	}
	for (size_t i = 0; i < USED; i += 4)
		h = add(h, get(i));
	return h;
}

static uint64_t run_seed(uint64_t seed) {
	struct machine m = machine();
	struct mx_schedule s = { .odd = UINT64_MAX };
	fill_arena(0);
	for (size_t i = 0; i < USED; i += 4)
		put(i, (uint32_t)i);
	m.kernel.lds_bytes = USED;
	m.launch.block[0] = 3 * 64;
	m.launch.grid[0] = 3;
	m.launch.seed = seed;
	m.launch.record = &s;
	RUN(&m, program);
	need(no_findings(&m) && s.n, "a launch without findings");
	uint64_t hash = hash_of(&s);
	mx_schedule_free(&s);
	mx_report_free(&m.report);
	return hash;
}

int main(int argc, char **argv) {
	bool print = argc > 1 && !strcmp(argv[1], "print");
	unsigned same = 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		uint64_t hash = run_seed(seed);
		same += hash == recorded[seed];
		if (print)
			printf("0x%016llx,\n", (unsigned long long)hash);
	}
	if (print)
		return 0;
	ok(same == SEEDS, "%u of %d recorded seeds replay the same", same, SEEDS);
	return done_testing();
}
