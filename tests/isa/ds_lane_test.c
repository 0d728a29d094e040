/* Lane permutation by DS instructions: ds_swizzle_b32 in all its modes, ds_permute_b32 and
 * ds_bpermute_b32. They do not access LDS. */
#include "ds_scene.h"

#include <stdio.h>

/* ---- swizzles that the manual lists ---- */

/* The lane that each of 32 lanes reads, counted from 1, in hexadecimal [ISA 12.12]. */
static const struct listed {
	uint32_t code[2];
	const char *list;
} listed[] = {
	{ { 0xd87ae000, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:swizzle(FFT,0) */ },
	  "1 11 9 19 5 15 d 1d 3 13 b 1b 7 17 f 1f 2 12 a 1a 6 16 e 1e 4 14 c 1c 8 18 10 20" },
	{ { 0xd87ae010, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:swizzle(FFT,16) */ },
	  "1 9 5 d 3 b 7 f 2 a 6 e 4 c 8 10 11 19 15 1d 13 1b 17 1f 12 1a 16 1e 14 1c 18 20" },
	{ { 0xd87ae01f, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:swizzle(FFT,31) */ },
	  "1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20" },
	{ { 0xd87ac020, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:swizzle(ROTATE,0,1) */ },
	  "2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f 20 1" },
	{ { 0xd87ac420, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:swizzle(ROTATE,1,1) */ },
	  "20 1 2 3 4 5 6 7 8 9 a b c d e f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f" },
	{ { 0xd87ac021, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:0xc021 */ },
	  "1 4 3 6 5 8 7 a 9 c b e d 10 f 12 11 14 13 16 15 18 17 1a 19 1c 1b 1e 1d 20 1f 2" },
	{ { 0xd87ac421, 0x08000001, /* ds_swizzle_b32 v8, v1 offset:0xc421 */ },
	  "1f 2 1 4 3 6 5 8 7 a 9 c b e d 10 f 12 11 14 13 16 15 18 17 1a 19 1c 1b 1e 1d 20" },
};

static uint32_t source(uint32_t lane, bool exec_of_source) {
	return exec_of_source ? scene->v1[lane] : 0;
}

static void check(struct machine *m, const uint32_t code[2], const uint32_t from[LANES],
                  const char *what) {
	bool right = true;
	for (int round = 0; round < 4 && right; round++) {
		set_scene();
		for (unsigned l = 0; l < LANES; l++)
			scene->v1[l] = (uint32_t)next_random(&seed);
		if (round)
			scene->exec = next_random(&seed);
		want_no_change();
		for (unsigned l = 0; l < LANES; l++)
			if (scene->exec >> l & 1)
				want_v8[l][0] = source(from[l], scene->exec >> from[l] & 1);
		run_op(m, code, 8);
		right = as_wanted(what) && no_findings(m);
	}
	if (!ok(right, "%s", what))
		show_findings(m);
}

static void test_listed(struct machine *m, const struct listed *x) {
	uint32_t from[LANES];
	char *at = (char *)x->list, text[40];
	for (uint32_t l = 0; l < 32; l++) {
		from[l] = (uint32_t)strtoul(at, &at, 16) - 1;
		from[l + 32] = from[l] + 32;
	}
	snprintf(text, sizeof text, "ds_swizzle_b32 0x%x as listed", x->code[0] & 0xffff);
	check(m, x->code, from, text);
}

/* ---- swizzles that LLVM names ---- */

/* ROW(assembly, (dwords), the lane that `lane` reads) */
#define UNPACK(...) __VA_ARGS__
#define ROW(text, dwords, from_lane)                                                               \
	{                                                                                          \
		static const uint32_t code[] = { UNPACK dwords };                                  \
		uint32_t from[LANES];                                                              \
		for (uint32_t lane = 0; lane < LANES; lane++)                                      \
			from[lane] = from_lane;                                                    \
		check(m, code, from, text);                                                        \
	}
static void test_named(struct machine *m) {
#include "swizzle.def"
}

/* ---- permutes ---- */

static const uint32_t op_permute[] = {
	0xd87c000c, 0x08000401, /* ds_permute_b32 v8, v1, v4 offset:12 */
};
static const uint32_t op_bpermute[] = {
	0xd87e000c, 0x08000401, /* ds_bpermute_b32 v8, v1, v4 offset:12 */
};

/* Random lanes, with random upper bits that wrap and random byte offsets in the dword. */
static void set_lanes(int round) {
	set_scene();
	for (unsigned l = 0; l < LANES; l++)
		scene->v1[l] = (uint32_t)next_random(&seed);
	if (round)
		scene->exec = next_random(&seed);
	want_no_change();
}

static uint32_t addressed(unsigned lane) {
	return (scene->v1[lane] + 12) / 4 % 64;
}

static void test_bpermute(struct machine *m) {
	bool right = true;
	for (int round = 0; round < 20 && right; round++) {
		set_lanes(round);
		for (unsigned l = 0; l < LANES; l++) {
			uint32_t from = addressed(l);
			bool on = scene->exec >> from & 1;
			if (scene->exec >> l & 1)
				want_v8[l][0] = on ? scene->v4[from][0] : 0;
		}
		RUN_OP(m, op_bpermute);
		right = as_wanted("ds_bpermute_b32") && no_findings(m);
	}
	if (!ok(right, "ds_bpermute_b32 reads from lanes; inactive lanes give 0"))
		show_findings(m);
}

static void test_permute(struct machine *m) {
	bool right = true;
	for (int round = 0; round < 20 && right; round++) {
		uint32_t sent[LANES] = { 0 };
		set_lanes(round);
		for (unsigned l = 0; l < LANES; l++)
			if (scene->exec >> l & 1)
				sent[addressed(l)] = scene->v4[l][0];
		for (unsigned l = 0; l < LANES; l++)
			if (scene->exec >> l & 1)
				want_v8[l][0] = sent[l];
		RUN_OP(m, op_permute);
		right = as_wanted("ds_permute_b32") && no_findings(m);
	}
	if (!ok(right, "ds_permute_b32 sends to lanes; the highest sender wins, a lane without "
	               "sender gets 0"))
		show_findings(m);
}

/* The manual's examples, of 4 lanes. */
static void test_examples(struct machine *m) {
	static const uint32_t to[] = { 0, 0, 12, 4 }, data[] = { 0xa, 0xb, 0xc, 0xd };
	static const struct {
		bool backward;
		uint64_t exec;
		uint32_t want[4]; /* 1: unchanged */
	} examples[] = {
		{ false, 0xf, { 0xb, 0xd, 0, 0xc } },
		{ false, 0xa, { 1, 0xd, 1, 0 } },
		{ true, 0xf, { 0xa, 0xa, 0xd, 0xb } },
		{ true, 0xa, { 1, 0, 1, 0xb } },
	};
	unsigned right = 0;
	for (unsigned i = 0; i < 4; i++) {
		set_scene();
		scene->exec = examples[i].exec;
		for (unsigned l = 0; l < 4; l++) {
			scene->v1[l] = to[l] - 12;
			scene->v4[l][0] = data[l];
			scene->v8[l][0] = 1;
		}
		want_no_change();
		for (unsigned l = 0; l < 4; l++)
			want_v8[l][0] = examples[i].want[l];
		run_op(m, examples[i].backward ? op_bpermute : op_permute, sizeof op_permute);
		right += as_wanted("example") && no_findings(m);
	}
	ok(right == 4, "both permutes give the manual's examples");
}

/* ---- without LDS, and with a late result ---- */

static const uint32_t no_lds[] = {
	0x24040082,             /* v_lshlrev_b32_e32 v2, 2, v0 */
	0x6a0604ff, 0x000000fc, /* v_sub_u32_e32 v3, 0xfc, v2 */
	0xd87e0000, 0x04000003, /* ds_bpermute_b32 v4, v3, v0 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
	0xbf810000,             /* s_endpgm */
};
static const uint32_t no_wait[] = {
	0x24040082,             /* v_lshlrev_b32_e32 v2, 2, v0 */
	0x6a0604ff, 0x000000fc, /* v_sub_u32_e32 v3, 0xfc, v2 */
	0x7e0802ff, 0x0000005a, /* v_mov_b32_e32 v4, 0x5a */
	0xd87e0000, 0x04000003, /* ds_bpermute_b32 v4, v3, v0 */
	0xdc708000, 0x00000402, /* global_store_dword v2, v4, s[0:1] */
	0xbf810000,             /* s_endpgm */
};

static void test_without_lds(void) {
	struct machine m = machine();
	unsigned wrong = 0, stale = 0;
	fill_arena(0);
	RUN(&m, no_lds);
	for (uint32_t l = 0; l < LANES; l++)
		wrong += get(4 * l) != 63 - l;
	ok(no_findings(&m) && !wrong, "a permute needs no allocation of LDS");
	for (m.launch.seed = 1; m.launch.seed < 20; m.launch.seed++) {
		RUN(&m, no_wait);
		stale += get(0) == 0x5a;
	}
	ok(stale, "its result may be late: without a wait, old data are read");
	mx_report_free(&m.report);
}

int main(void) {
	struct machine m = scene_machine();
	for (size_t i = 0; i < sizeof listed / sizeof *listed; i++)
		test_listed(&m, &listed[i]);
	test_named(&m);
	test_bpermute(&m);
	test_permute(&m);
	test_examples(&m);
	test_without_lds();
	mx_report_free(&m.report);
	return done_testing();
}
