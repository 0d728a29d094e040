/* The scene of the tests of LDS instructions: LDS of 4 KiB, and for each lane an address in v1,
 * data in v[4:7] and old values of v[8:11]; afterwards v[8:11] and LDS. */
#ifndef DS_SCENE_H
#define DS_SCENE_H

#include "machine_test.h"

enum { LANES = 64, LDS_BYTES = 4096 };

/* The arena. */
struct scene {
	uint8_t lds[LDS_BYTES];
	uint32_t v1[LANES], unused1[3 * LANES];
	uint32_t v4[LANES][4], v8[LANES][4];
	uint64_t exec;
	uint32_t m0, unused2[0x100 - 3];
	uint32_t v8_after[LANES][4];
	uint8_t lds_after[LDS_BYTES];
};
_Static_assert(offsetof(struct scene, v1) == 0x1000, "s[4:5]");
_Static_assert(offsetof(struct scene, exec) == 0x1c00, "s[8:11]");
_Static_assert(offsetof(struct scene, v8_after) == 0x2000, "s[6:7]");

static struct scene *const scene = (struct scene *)arena;
static uint64_t seed = 950;

static const uint32_t prologue[] = {
	0x24040084,             /* v_lshlrev_b32_e32 v2, 4, v0 */
	0x24060082,             /* v_lshlrev_b32_e32 v3, 2, v0 */
	0xc00a0200, 0x00001c00, /* s_load_dwordx4 s[8:11], s[0:1], 0x1c00 */
	0x8004ff00, 0x00001000, /* s_add_u32 s4, s0, 0x1000 */
	0x82058001,             /* s_addc_u32 s5, s1, 0 */
	0x8006ff00, 0x00002000, /* s_add_u32 s6, s0, 0x2000 */
	0x82078001,             /* s_addc_u32 s7, s1, 0 */
	0xdc5c8000, 0x0c000002, /* global_load_dwordx4 v[12:15], v2, s[0:1] */
	0xdc5c8400, 0x10000002, /* global_load_dwordx4 v[16:19], v2, s[0:1] offset:1024 */
	0xdc5c8800, 0x14000002, /* global_load_dwordx4 v[20:23], v2, s[0:1] offset:2048 */
	0xdc5c8c00, 0x18000002, /* global_load_dwordx4 v[24:27], v2, s[0:1] offset:3072 */
	0xdc508000, 0x01040003, /* global_load_dword v1, v3, s[4:5] */
	0xdc5c8400, 0x04040002, /* global_load_dwordx4 v[4:7], v2, s[4:5] offset:1024 */
	0xdc5c8800, 0x08040002, /* global_load_dwordx4 v[8:11], v2, s[4:5] offset:2048 */
	0xbf8c0070,             /* s_waitcnt vmcnt(0) lgkmcnt(0) */
	0xd9be0000, 0x00000c02, /* ds_write_b128 v2, v[12:15] */
	0xd9be0400, 0x00001002, /* ds_write_b128 v2, v[16:19] offset:1024 */
	0xd9be0800, 0x00001402, /* ds_write_b128 v2, v[20:23] offset:2048 */
	0xd9be0c00, 0x00001802, /* ds_write_b128 v2, v[24:27] offset:3072 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbefc000a,             /* s_mov_b32 m0, s10 */
	0xbefe0108,             /* s_mov_b64 exec, s[8:9] */
};

static const uint32_t epilogue[] = {
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbefe01c1,             /* s_mov_b64 exec, -1 */
	0xdc7c8000, 0x00060802, /* global_store_dwordx4 v2, v[8:11], s[6:7] */
	0xd9fe0000, 0x0c000002, /* ds_read_b128 v[12:15], v2 */
	0xd9fe0400, 0x10000002, /* ds_read_b128 v[16:19], v2 offset:1024 */
	0xd9fe0800, 0x14000002, /* ds_read_b128 v[20:23], v2 offset:2048 */
	0xd9fe0c00, 0x18000002, /* ds_read_b128 v[24:27], v2 offset:3072 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc7c8400, 0x00060c02, /* global_store_dwordx4 v2, v[12:15], s[6:7] offset:1024 */
	0xdc7c8800, 0x00061002, /* global_store_dwordx4 v2, v[16:19], s[6:7] offset:2048 */
	0xdc7c8c00, 0x00061402, /* global_store_dwordx4 v2, v[20:23], s[6:7] offset:3072 */
	0x8006ff06, 0x00001000, /* s_add_u32 s6, s6, 0x1000 */
	0x82078007,             /* s_addc_u32 s7, s7, 0 */
	0xdc7c8000, 0x00061802, /* global_store_dwordx4 v2, v[24:27], s[6:7] */
	0xbf810000,             /* s_endpgm */
};

/* Random data; all lanes active, each with its own address. */
static inline void set_scene(void) {
	fill_arena(0xee);
	for (size_t i = 0; i < 0x1c00; i += 4)
		put(i, (uint32_t)next_random(&seed));
	for (uint32_t l = 0; l < LANES; l++)
		scene->v1[l] = 32 * l;
	scene->exec = ~0ull;
	scene->m0 = 0;
}

static inline struct machine scene_machine(void) {
	struct machine m = machine();
	m.kernel.lds_bytes = LDS_BYTES;
	return m;
}

static inline void run_op(struct machine *m, const uint32_t *op, size_t bytes) {
	struct code c = { 0 };
	APPEND(&c, prologue);
	append(&c, op, bytes);
	APPEND(&c, epilogue);
	m->launch.seed = next_random(&seed);
	run_code(m, &c);
}
#define RUN_OP(m, op) run_op(m, op, sizeof(op))

/* ---- expected state ---- */

static uint32_t want_v8[LANES][4];
static uint8_t want_lds[LDS_BYTES];

static inline void want_no_change(void) {
	memcpy(want_v8, scene->v8, sizeof want_v8);
	memcpy(want_lds, scene->lds, sizeof want_lds);
}

/* Whether registers and LDS are as expected; prints the first difference. */
static inline bool as_wanted(const char *text) {
	size_t i = 0, j = 0;
	while (i < 4 * LANES && scene->v8_after[i / 4][i % 4] == want_v8[i / 4][i % 4])
		i++;
	while (j < LDS_BYTES && scene->lds_after[j] == want_lds[j])
		j++;
	if (i < 4 * LANES)
		diag("%s: lane %zu of v%zu is %08x, want %08x", text, i / 4, 8 + i % 4,
		     scene->v8_after[i / 4][i % 4], want_v8[i / 4][i % 4]);
	if (j < LDS_BYTES)
		diag("%s: byte %zu of LDS is %02x, want %02x", text, j, scene->lds_after[j],
		     want_lds[j]);
	return i == 4 * LANES && j == LDS_BYTES;
}

#endif
