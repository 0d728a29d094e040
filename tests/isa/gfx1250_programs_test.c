/* Random programs of gfx1250: waves of one workgroup, or of a cluster of two, load, store, add and
 * copy, and meet at split barriers, of the
 * workgroup or the cluster, or at one in LDS that they poll. Most programs have the weakest
 * sufficient waits; some lack a few. A right program has no findings. A proved one leaves the same
 * bytes under other schedules. Lanes accessed one by one leave what lanes together leave.
 *
 *   gfx1250_programs_test.t SEED ROUNDS
 *
 * v6 own items, v7 those of wave 0, v9 the next wave's, v10 those 1024 bytes after v6: in LDS, and
 * in memory from s[6:7], the workgroup's part, or s[8:9], which is shared. v[20:21] own items of
 * the workgroup's part. M0 both workgroups. v4 a sum of all that v16 and s32 have been, v5 1. s2
 * the workgroup, s12 the wave, s13 the first item of the wave. */
#include "both_ways.h"

enum {
	ROOM = 1400,
	PROGRAMS = 40,
	OTHERS_TRIED = 4,
	LDS_ROOM = 2048,
	WAVES_OF_32 = 1 << 10, /* of KERNEL_CODE_PROPERTIES */
	USED = 0x14000,
};

/* ---- instructions ---- */

static const uint32_t prologue[] = {
	0x9303ff72, 0x0004000c, /* s_bfe_u32 s3, ttmp6, 0x4000c */
	0x81028103,             /* s_add_co_i32 s2, s3, 1 */
	0x96027502,             /* s_mul_i32 s2, s2, ttmp9 */
	0x8b038f72,             /* s_and_b32 s3, ttmp6, 15 */
	0x81020302,             /* s_add_co_i32 s2, s2, s3 */
	0x84038c02,             /* s_lshl_b32 s3, s2, 12 */
	0x80060300,             /* s_add_co_u32 s6, s0, s3 */
	0x82078001,             /* s_add_co_ci_u32 s7, s1, 0 */
	0x8008ff00, 0x00004000, /* s_add_co_u32 s8, s0, 0x4000 */
	0x82098001,             /* s_add_co_ci_u32 s9, s1, 0 */
	0x800eff00, 0x00010000, /* s_add_co_u32 s14, s0, 0x10000 */
	0x820f8001,             /* s_add_co_ci_u32 s15, s1, 0 */
	0x800e030e,             /* s_add_co_u32 s14, s14, s3 */
	0x360000ff, 0x000003ff, /* v_and_b32_e32 v0, 0x3ff, v0 */
	0x32020085,             /* v_lshrrev_b32_e32 v1, 5, v0 */
	0x7e180501,             /* v_readfirstlane_b32 s12, v1 */
	0x840d870c,             /* s_lshl_b32 s13, s12, 7 */
	0x300c0082,             /* v_lshlrev_b32_e32 v6, 2, v0 */
	0x360e009f,             /* v_and_b32_e32 v7, 31, v0 */
	0x300e0e82,             /* v_lshlrev_b32_e32 v7, 2, v7 */
	0x4a120cff, 0x00000080, /* v_add_nc_u32_e32 v9, 0x80, v6 */
	0x361212ff, 0x000001ff, /* v_and_b32_e32 v9, 0x1ff, v9 */
	0x4a140cff, 0x00000400, /* v_add_nc_u32_e32 v10, 0x400, v6 */
	0xd7006a14, 0x00020c06, /* v_add_co_u32 v20, vcc_lo, s6, v6 */
	0x7e2a0207,             /* v_mov_b32_e32 v21, s7 */
	0x7e160280,             /* v_mov_b32_e32 v11, 0 */
	0x7e180281,             /* v_mov_b32_e32 v12, 1 */
	0x7e1a0280,             /* v_mov_b32_e32 v13, 0 */
	0x7e080300,             /* v_mov_b32_e32 v4, v0 */
	0x7e0a0281,             /* v_mov_b32_e32 v5, 1 */
	0x7e200280,             /* v_mov_b32_e32 v16, 0 */
	0xbea00080,             /* s_mov_b32 s32, 0 */
	0xbefd0083,             /* s_mov_b32 m0, 3 */
	0xbea40081,             /* s_mov_b32 s36, 1 */
	0xbea800ff, 0x00020000, /* s_mov_b32 s40, 0x20000 */
	0xbea900ff, 0x00200000, /* s_mov_b32 s41, 0x200000 */
	0xbeaa00ff, 0x00010000, /* s_mov_b32 s42, 0x10000 */
	0xbeab00ff, 0x00200000, /* s_mov_b32 s43, 0x200000 */
	0xbeac0081,             /* s_mov_b32 s44, 1 */
	0xbead00a0,             /* s_mov_b32 s45, 32 */
	0xbeae0080,             /* s_mov_b32 s46, 0 */
	0xbeaf0080,             /* s_mov_b32 s47, 0 */
	0xd8340000, 0x00000509, /* ds_store_b32 v9, v5 */
	0xbfc60000,             /* s_wait_dscnt 0x0 */
	0xbe804ec1,             /* s_barrier_signal -1 */
	0xbf94ffff,             /* s_barrier_wait -1 */
	0xd8340000, 0x00000506, /* ds_store_b32 v6, v5 */
	0xd8340000, 0x0000050a, /* ds_store_b32 v10, v5 */
};
/* The next tile is 32 dwords of the wave's items; from s[6:7], or s[8:9] with 2 more. */
static const uint32_t next_tile[] = {
	0xbea5000d,             /* s_mov_b32 s37, s13 */
	0x80260d06,             /* s_add_co_u32 s38, s6, s13 */
	0x8c27ff07, 0x80000000, /* s_or_b32 s39, s7, 0x80000000 */
};
static const uint32_t use_loads[] = {
	0xd6160004, 0x021e0904, /* v_alignbit_b32 v4, v4, v4, 7 */
	0x3a082104,             /* v_xor_b32_e32 v4, v4, v16 */
	0x4a080820,             /* v_add_nc_u32_e32 v4, s32, v4 */
};
static const uint32_t half_of_lanes[] = {
	0xbefe00ff, 0x55555555, /* s_mov_b32 exec_lo, 0x55555555 */
};
static const uint32_t all_lanes[] = { 0xbefe00c1, /* s_mov_b32 exec_lo, -1 */ };
static const uint32_t store_sum[] = {
	0xee06800e, 0x02000000, 0x00000006, /* global_store_b32 v6, v4, s[14:15] */
};
static const uint32_t one_end[] = { 0xbfb00000, /* s_endpgm */ };
static const uint32_t one_nop[] = { 0xbf800000, /* s_nop 0 */ };
static const uint32_t unless_wave[] = { 0xbf07800c, /* s_cmp_lg_u32 s12, 0 */ };
static const uint32_t unless_group[] = { 0xbf078002, /* s_cmp_lg_u32 s2, 0 */ };
static const uint32_t skip[] = { 0xbfa20000, /* s_cbranch_scc1 0 */ };
static const uint32_t barrier[] = {
	0xbe804ec1, /* s_barrier_signal -1 */
	0xbf94ffff, /* s_barrier_wait -1 */
};
static const uint32_t cluster_signal[] = { 0xbe804ec3, /* s_barrier_signal -3 */ };
static const uint32_t cluster_wait[] = { 0xbf94fffd, /* s_barrier_wait -3 */ };

/* The barrier in LDS: initialised by wave 0, an arrival of the wave or of its copies, and a loop
 * that waits until its phase is odd; each other one waits until it is even. */
static const uint32_t pending[] = { 0x7e1c0280, /* v_mov_b32_e32 v14, 0 */ };
static const uint32_t lds_barrier[] = {
	0x7e1e030e,             /* v_mov_b32_e32 v15, v14 */
	0xd9340780, 0x00000e0b, /* ds_store_b64 v11, v[14:15] offset:1920 */
};
static const uint32_t arrive[] = {
	0xbefe0081, /* s_mov_b32 exec_lo, 1 */
	0xd9d40780,
	0x1a000c0b, /* ds_atomic_barrier_arrive_rtn_b64 v[26:27], v11, v[12:13] offset:1920 */
	0xbefe00c1, /* s_mov_b32 exec_lo, -1 */
};
static const uint32_t copies_arrive[] = {
	0xbefe0081,             /* s_mov_b32 exec_lo, 1 */
	0xd9580780, 0x0000000b, /* ds_atomic_async_barrier_arrive_b64 v11 offset:1920 */
	0xbefe00c1,             /* s_mov_b32 exec_lo, -1 */
};
static const uint32_t poll[] = {
	0xd9d80780, 0x1800000b, /* ds_load_b64 v[24:25], v11 offset:1920 */
	0xbfc60000,             /* s_wait_dscnt 0x0 */
	0x7e3c0518,             /* v_readfirstlane_b32 s30, v24 */
	0xbf0d9d1e,             /* s_bitcmp1_b32 s30, 29 */
};
static const uint32_t until[] = {
	0xbfa1fffa, /* s_cbranch_scc0 65530 */
	0xbfa2fffa, /* s_cbranch_scc1 65530 */
};

typedef enum { LOADS, STORES, DS, KM, ASYNC, TENSOR, COUNTERS } counter;
static const uint32_t waits[COUNTERS] = {
	0xbfc00000, /* s_wait_loadcnt 0x0 */
	0xbfc10000, /* s_wait_storecnt 0x0 */
	0xbfc60000, /* s_wait_dscnt 0x0 */
	0xbfc70000, /* s_wait_kmcnt 0x0 */
	0xbfca0000, /* s_wait_asynccnt 0x0 */
	0xbfcb0000, /* s_wait_tensorcnt 0x0 */
};

/* What operations touch; each has its own registers of a kind. */
enum { IN_LDS = 1, IN_MEMORY = 2, IN_V16 = 4, IN_S32 = 8 };

/* Dwords without the fields of addresses: of an LDS address in byte `lds`, of an offset in memory
 * in byte `offset`, and of the base in byte 0 if it has one. */
struct operation {
	unsigned size;
	uint32_t dwords[3];
	counter counter;
	uint8_t reads, writes, lds, offset;
	bool based, tile, adds, flat;
	bool cluster; /* all workgroups execute it together */
};
/* clang-format off */
static const struct operation operations[] = {
	{ 2, { 0xd8d80000, 0x10000000, /* ds_load_b32 v16, v0 */ },
	  DS, IN_LDS, IN_V16, .lds = 4 },
	{ 2, { 0xd8340000, 0x00000700, /* ds_store_b32 v0, v7 */ },
	  DS, 0, IN_LDS, .lds = 4 },
	{ 2, { 0xd8340000, 0x00000600, /* ds_store_b32 v0, v6 */ },
	  DS, 0, IN_LDS, .lds = 4 },
	{ 2, { 0xd8000000, 0x00000500, /* ds_add_u32 v0, v5 */ },
	  DS, 0, IN_LDS, .lds = 4, .adds = true },
	{ 2, { 0xd8780000, 0x00000600, /* ds_store_b8 v0, v6 */ },
	  DS, 0, IN_LDS, .lds = 4 },
	{ 2, { 0xda840000, 0x00000600, /* ds_store_b16_d16_hi v0, v6 */ },
	  DS, 0, IN_LDS, .lds = 4 },
	{ 2, { 0xd8e80000, 0x10000000, /* ds_load_u8 v16, v0 */ },
	  DS, IN_LDS, IN_V16, .lds = 4 },
	{ 2, { 0xda9c0000, 0x10000000, /* ds_load_u16_d16_hi v16, v0 */ },
	  DS, IN_LDS, IN_V16, .lds = 4 },
	{ 2, { 0xdacc0000, 0x10001006, /* ds_bpermute_b32 v16, v6, v16 */ },
	  DS, IN_V16, IN_V16 },
	{ 3, { 0xee050000, 0x00000010, 0x00000000, /* global_load_b32 v16, v0, s[0:1] */ },
	  LOADS, IN_MEMORY, IN_V16, .offset = 8, .based = true },
	{ 3, { 0xee068000, 0x03000000, 0x00000000, /* global_store_b32 v0, v6, s[0:1] */ },
	  STORES, 0, IN_MEMORY, .offset = 8, .based = true },
	{ 3, { 0xee068000, 0x03800000, 0x00000000, /* global_store_b32 v0, v7, s[0:1] */ },
	  STORES, 0, IN_MEMORY, .offset = 8, .based = true },
	{ 3, { 0xee060000, 0x03000000, 0x00000000, /* global_store_b8 v0, v6, s[0:1] */ },
	  STORES, 0, IN_MEMORY, .offset = 8, .based = true },
	{ 3, { 0xee08c000, 0x00000010, 0x00000000, /* global_load_d16_hi_b16 v16, v0, s[0:1] */ },
	  LOADS, IN_MEMORY, IN_V16, .offset = 8, .based = true },
	{ 3, { 0xec05007c, 0x00000010, 0x00000014, /* flat_load_b32 v16, v[20:21] */ },
	  LOADS, IN_MEMORY, IN_V16, .flat = true },
	{ 3, { 0xec06807c, 0x03000000, 0x00000014, /* flat_store_b32 v[20:21], v6 */ },
	  STORES, 0, IN_MEMORY, .flat = true },
	{ 3, { 0xee0d4000, 0x02800000, 0x00000000, /* global_atomic_add_u32 v0, v5, s[0:1] */ },
	  STORES, 0, IN_MEMORY, .offset = 8, .based = true, .adds = true },
	{ 3, { 0xee180000, 0x00000000, 0x00000000, /* global_load_async_to_lds_b32 v0, v0, s[0:1] */ },
	  ASYNC, IN_MEMORY, IN_LDS, .lds = 4, .offset = 8, .based = true },
	{ 3, { 0xee190000, 0x00000000, 0x00000000, /* global_store_async_from_lds_b32 v0, v0, s[0:1] */ },
	  ASYNC, IN_LDS, IN_MEMORY, .lds = 6, .offset = 8, .based = true },
	{ 3, { 0xee17c000, 0x00000000, 0x00000000, /* global_load_async_to_lds_b8 v0, v0, s[0:1] */ },
	  ASYNC, IN_MEMORY, IN_LDS, .lds = 4, .offset = 8, .based = true },
	{ 3, { 0xee1ac000, 0x00000000, 0x00000000, /* cluster_load_async_to_lds_b32 v0, v0, s[0:1] */ },
	  ASYNC, IN_MEMORY, IN_LDS, .lds = 4, .offset = 8, .based = true, .cluster = true },
	{ 3, { 0xee19c000, 0x00000010, 0x00000000, /* cluster_load_b32 v16, v0, s[0:1] */ },
	  LOADS, IN_MEMORY, IN_V16, .offset = 8, .based = true, .cluster = true },
	{ 2, { 0xf4000800, 0xf8000000, /* s_load_b32 s32, s[0:1], 0x0 */ },
	  KM, IN_MEMORY, IN_S32, .based = true },
	{ 3, { 0xd0710001, 0x7c000000, 0x7c7c2824, /* tensor_load_to_lds s[36:39], s[40:47] */ },
	  TENSOR, IN_MEMORY, IN_LDS, .tile = true },
	{ 3, { 0xd0714001, 0x7c000000, 0x7c7c2824, /* tensor_store_from_lds s[36:39], s[40:47] */ },
	  TENSOR, IN_LDS, IN_MEMORY, .tile = true },
};
/* clang-format on */

/* ---- programs ---- */

struct program {
	uint64_t random;
	uint32_t code[ROOM];
	unsigned n, waves, groups;
	unsigned weak;        /* the chance in 64 that synchronisation is missing */
	unsigned wave, group; /* that execute what follows; all if there is none such */
	bool polls;           /* a barrier in LDS */
	bool copies;    /* may arrive there; slow, for they land late if none waits for them */
	unsigned phase; /* that it is in */
	bool right;     /* no synchronisation is missing */
	bool all_write; /* in a phase of all waves: own items */
	unsigned often; /* the place that it uses most */
	struct touched {
		unsigned reads, writes;
	} in_flight[COUNTERS];
};

static unsigned any(struct program *p, unsigned n) {
	return (unsigned)(next_random(&p->random) >> 32) % n;
}

static void emit(struct program *p, const uint32_t *dwords, unsigned n) {
	enum { LAST = 64 }; /* for the end */
	if (p->n + n > ROOM - LAST)
		return;
	memcpy(p->code + p->n, dwords, 4 * n);
	p->n += n;
}
#define EMIT(p, part) emit(p, part, sizeof(part) / 4)

/* Code of one wave, or of one workgroup, or of all. */
static void emit_for(struct program *p, const uint32_t *dwords, unsigned n) {
	uint32_t wave = unless_wave[0] | (0x80 + p->wave) << 8;
	uint32_t group = unless_group[0] | (0x80 + p->group) << 8, jump = skip[0] | n;
	if (p->wave < p->waves) {
		uint32_t both = skip[0] | (n + (p->group < p->groups ? 2 : 0));
		emit(p, &wave, 1);
		emit(p, &both, 1);
	}
	if (p->group < p->groups) {
		emit(p, &group, 1);
		emit(p, &jump, 1);
	}
	emit(p, dwords, n);
}

static unsigned place(struct program *p) {
	static const unsigned places[] = { 6, 7, 9, 10 };
	return places[any(p, 2) ? p->often : any(p, 4)];
}

/* In a phase of all waves they read, or access own items. */
static bool is_for_all(const struct program *p, const struct operation *o, unsigned lds,
                       unsigned offset, bool shared) {
	bool own =
		(lds == 6 || lds == 10 || !o->lds) && (offset == 6 || offset == 10 || !o->offset);
	bool writes = o->writes & (IN_LDS | IN_MEMORY);
	return p->all_write ? own && !shared && o->counter != KM : !writes;
}

static void wait_for(struct program *p, const struct operation *o) {
	for (counter c = 0; c < COUNTERS; c++) {
		struct touched *f = &p->in_flight[c];
		bool in_order = c == o->counter && c != ASYNC && c != KM && !o->flat &&
		                !(o->reads & IN_V16);
		if (in_order || !((f->writes & (o->reads | o->writes)) | (f->reads & o->writes)))
			continue;
		*f = (struct touched){ 0 };
		if (any(p, 64) >= p->weak)
			emit(p, &waits[c], 1);
	}
	for (counter c = 0; c < COUNTERS; c++)
		if (c == o->counter || (c == DS && o->flat)) {
			p->in_flight[c].reads |= o->reads;
			p->in_flight[c].writes |= o->writes;
		}
}

static void emit_operation(struct program *p) {
	const struct operation *o = &operations[any(p, sizeof operations / sizeof *operations)];
	unsigned lds = place(p), offset = place(p);
	bool shared = p->groups > 1 && !any(p, 4), alone = p->wave < p->waves;
	bool half = o->counter != KM && !o->tile && !any(p, 6);
	uint32_t code[sizeof next_tile / 4 + 3 + 3];
	unsigned n = 0;
	if (o->cluster && (alone || p->group < p->groups || p->groups == 1))
		return;
	if (!p->weak && shared && o->writes & IN_MEMORY && p->group >= p->groups)
		return;
	if (!p->weak && !alone && !is_for_all(p, o, lds, offset, shared))
		return;
	if (o->tile) {
		memcpy(code, next_tile, sizeof next_tile);
		code[1] += 2 * shared;
		code[2] += 2 * shared;
		n = sizeof next_tile / 4;
	}
	if (half) {
		memcpy(code, half_of_lanes, sizeof half_of_lanes);
		n = sizeof half_of_lanes / 4;
	}
	memcpy(code + n, o->dwords, 4 * o->size);
	code[n + o->lds / 4] |= o->lds ? o->lds % 4 ? lds << 23 : lds : 0;
	code[n + o->offset / 4] |= o->offset ? offset : 0;
	code[n] |= o->based ? (6 + 2u * shared) >> (o->counter == KM) : 0;
	n += o->size;
	if (half)
		code[n++] = all_lanes[0];
	wait_for(p, o);
	emit_for(p, code, n);
}

static void wait_for_all(struct program *p, counter but) {
	for (counter c = 0; c < COUNTERS; c++)
		if (c != but && any(p, 64) >= p->weak)
			emit(p, &waits[c], 1);
	memset(p->in_flight, 0, sizeof p->in_flight);
}

/* At the barrier in LDS. An arrival of copies comes after the loads that are in flight. */
static void meet_in_lds(struct program *p) {
	bool stores = p->in_flight[ASYNC].reads & IN_LDS,
	     copies = p->copies && !stores && !any(p, 2);
	wait_for_all(p, copies ? ASYNC : COUNTERS);
	EMIT(p, use_loads);
	if (copies)
		EMIT(p, copies_arrive);
	else
		EMIT(p, arrive);
	EMIT(p, poll);
	emit(p, &until[p->phase++ % 2], 1);
}

/* At the barrier of the workgroup, and often at that of the cluster. */
static void meet(struct program *p) {
	if (p->polls && any(p, 3)) {
		meet_in_lds(p);
		return;
	}
	wait_for_all(p, COUNTERS);
	EMIT(p, use_loads);
	if (any(p, 64) >= p->weak)
		EMIT(p, barrier);
	if (p->groups == 1 || (any(p, 64) < p->weak))
		return;
	p->wave = 0;
	p->group = p->groups;
	emit_for(p, cluster_signal, 1);
	EMIT(p, cluster_wait);
}

/* The sum of what LDS has is stored, too. */
static void finish(struct program *p) {
	static const uint8_t at[] = { 6, 7, 9, 10 };
	meet(p);
	for (unsigned i = 0; i < 4; i++) {
		uint32_t load[] = { operations[0].dwords[0], operations[0].dwords[1] | at[i] };
		memcpy(p->code + p->n, load, sizeof load);
		p->code[p->n + 2] = waits[DS];
		memcpy(p->code + p->n + 3, use_loads, sizeof use_loads);
		p->n += 3 + sizeof use_loads / 4;
	}
	memcpy(p->code + p->n, store_sum, sizeof store_sum);
	p->n += sizeof store_sum / 4;
	p->code[p->n++] = one_end[0];
}

static bool is_wait(uint32_t dword) {
	for (counter c = 0; c < COUNTERS; c++)
		if (dword == waits[c])
			return true;
	return false;
}

static void leave_out(struct program *p, unsigned n) {
	for (unsigned tries = 100; n && tries--;) {
		unsigned i = any(p, p->n);
		if (i < sizeof prologue / 4 || !is_wait(p->code[i]))
			continue;
		p->code[i] = one_nop[0];
		n--;
	}
}

static void make_program(struct program *p, uint64_t seed) {
	*p = (struct program){ .random = seed * 0x9e3779b97f4a7c15 + 1 };
	p->waves = 1 + any(p, 4);
	p->groups = 1 + any(p, 2);
	p->weak = any(p, 4) ? 0 : 1 + any(p, 12);
	p->often = any(p, 4);
	p->wave = p->group = UINT32_MAX;
	EMIT(p, prologue);
	bool starts_barrier = p->groups == 1 && !any(p, 3);
	if (starts_barrier) {
		uint32_t waves = pending[0] + p->waves - 1;
		emit(p, &waves, 1);
		p->wave = 0;
		emit_for(p, lds_barrier, sizeof lds_barrier / 4);
	}
	meet(p);
	p->polls = starts_barrier;
	p->copies = !any(p, 8);
	for (unsigned phases = 1 + any(p, 5); phases--;) {
		p->wave = any(p, 2 * p->waves);
		p->group = any(p, 2 * p->groups);
		p->all_write = any(p, 2);
		for (unsigned i = 1 + any(p, 7); i--;)
			emit_operation(p);
		meet(p);
	}
	finish(p);
	p->right = !p->weak && any(p, 2);
	if (!p->weak && !p->right)
		leave_out(p, 1 + any(p, 3));
}

/* ---- running them ---- */

static void run_as(const struct program *p, uint64_t seed, bool lane_by_lane, struct outcome *o) {
	struct machine m = machine();
	m.kernel.agprs = 0;
	m.kernel.vgprs = 256;
	m.kernel.properties |= WAVES_OF_32;
	m.kernel.lds_bytes = LDS_ROOM;
	m.launch.block[0] = 32 * p->waves;
	m.launch.grid[0] = p->groups;
	if (p->groups > 1)
		memcpy(m.launch.cluster, (uint32_t[]){ p->groups, 1, 1 }, sizeof m.launch.cluster);
	m.launch.analysis = MX_ANALYSE_ORDER;
	m.launch.seed = seed;
	m.launch.max_instructions = 1 << 22; /* some programs do not end */
	m.launch.lane_by_lane = lane_by_lane;
	whole.size = USED;
	memcpy(arena, initial, USED);
	memset(state, MX_WRITTEN, USED);
	m.kernel.entry = (uintptr_t)p->code;
	m.launch.kernel = &m.kernel;
	mx_schedule_free(&o->schedule);
	mx_report_free(&o->report);
	m.launch.record = &o->schedule;
	struct mx_program *code =
		mx_program_new(&mx_gfx1250, p->code, 4 * p->n, (uintptr_t)p->code);
	m.launch.program = code;
	need(code && mx_launch_run(&m.launch, &o->report), "memory for a launch");
	mx_program_free(code);
	memcpy(o->arena, arena, USED);
	memcpy(o->state, state, USED);
}

static void show_program(const struct program *p) {
	char text[MX_LINE_ROOM];
	diag("%u waves, %u workgroups", p->waves, p->groups);
	for (size_t i = sizeof prologue / 4, size; i < p->n; i += size / 4) {
		size = mx_gfx1250.disassemble(p->code + i, p->n - i, 0, text, sizeof text);
		size = size ? size : 4;
		diag("+0x%03zx %s", 4 * i, text);
	}
}

static void show_report(const struct mx_report *r) {
	char text[MX_LINE_ROOM];
	mx_proof_text(&r->proof, text, sizeof text);
	diag("%s", text);
	for (size_t i = 0; i < r->n_findings; i++) {
		mx_finding_text(r, &r->findings[i], text, sizeof text);
		diag("  %s", text);
	}
}

struct count {
	unsigned wrong, racing, proved, tried;
};

static const char *try_schedules(const struct program *p, uint64_t seed) {
	static struct outcome other;
	const char *what;
	run_as(p, seed, true, &one_by_one);
	run_as(p, seed, false, &together);
	if ((what = difference(&one_by_one, &together)))
		return what;
	if (p->right && together.report.n_findings)
		return "a right program: what it is and what is found";
	for (unsigned i = 1; together.report.proof.outcome == MX_PROVED && i <= OTHERS_TRIED; i++) {
		run_as(p, seed + i, false, &other);
		if (memcmp(other.arena, together.arena, USED))
			return "proved, and schedules";
	}
	return NULL;
}

static void try_program(uint64_t seed, struct count *c) {
	static struct program p;
	make_program(&p, seed);
	const char *what = try_schedules(&p, seed);
	c->tried++;
	c->racing += together.report.n_findings > 0;
	c->proved += together.report.proof.outcome == MX_PROVED;
	if (!what)
		return;
	c->wrong++;
	diag("%s differ: program %llu", what, (unsigned long long)seed);
	show_program(&p);
	show_report(&together.report);
}

int main(int argc, char **argv) {
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1, random = 1;
	unsigned n = PROGRAMS * rounds_of(argc, argv, 50, 5000);
	struct count c = { 0 };
	fill_initial(&random, USED);
	for (unsigned i = 0; i < n && c.wrong < 3; i++)
		try_program(seed + i, &c);
	ok(!c.wrong, "%u programs: what is proved is so, what is right is not accused", c.tried);
	ok(c.racing > n / 5 && c.proved > n / 10, "%u have findings, %u are proved", c.racing,
	   c.proved);
	end_both_ways();
	return done_testing();
}
