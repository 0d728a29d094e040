/* Control-flow graphs: the targets of long jumps. */
#include "../../ref/isa/encoding/control_flow.h"
#include "machine_test.h"

/* Which dwords are reached, as text: "x" or ".", and the number of unknown targets. */
static void is_graph(const struct mx_isa *isa, const uint32_t *code, size_t bytes,
                     const char *reached, unsigned unknown, const char *what) {
	char got[64];
	struct mx_graph g;
	struct mx_program *p = mx_program_new(isa, code, bytes, 0);
	need(p && mx_graph_make(p, 0, (uint32_t)bytes, &g), "memory");
	for (unsigned i = 0; i < bytes / 4; i++)
		got[i] = i < g.n && g.node[i].in ? 'x' : '.';
	got[bytes / 4] = 0;
	if (!ok(!strcmp(got, reached) && g.unknown == unknown, "%s", what))
		diag("reached %s, %u unknown", got, g.unknown);
	mx_graph_free(&g);
	mx_program_free(p);
}

/* s_getpc_b64 s[4:5]; s_add_u32 s4, s4, distance; s_addc_u32 s5, s5, its sign; s_setpc_b64 s[4:5]
 */
#define LONG_JUMP(distance)                                                                        \
	0xbe841c00, 0x8004ff04, (uint32_t)(distance), 0x8205ff05, (distance) < 0 ? 0xffffffff : 0, \
		0xbe801d04

static void gfx950(void) {
	const uint32_t forward[] = {
		LONG_JUMP(24), 0xbf800000, /* s_nop 0 */
		0xbf810000,                /* s_endpgm */
	};
	const uint32_t back[] = {
		0xbf820002,                 /* s_branch 2 */
		0xbf800000,                 /* s_nop 0 */
		0xbf810000,                 /* s_endpgm */
		LONG_JUMP(-12), 0xbf810000, /* s_endpgm */
	};
	const uint32_t into_the_middle[] = {
		0xbf850003,                /* s_cbranch_scc1 3 */
		LONG_JUMP(24), 0xbf800000, /* s_nop 0 */
		0xbf810000,                /* s_endpgm */
	};
	const uint32_t back_into_the_middle[] = {
		LONG_JUMP(24), 0xbf800000, /* s_nop 0 */
		0xbf85fffb,                /* s_cbranch_scc1 65531 */
		0xbf810000,                /* s_endpgm */
	};
	const uint32_t other_pair[] = {
		0xbe841c00,                    /* s_getpc_b64 s[4:5] */
		0x8004ff04, 24, 0x8207ff07, 0, /* s_addc_u32 s7, s7, 0 */
		0xbe801d04,                    /* s_setpc_b64 s[4:5] */
		0xbf800000,                    /* s_nop 0 */
		0xbf810000,                    /* s_endpgm */
	};
	const uint32_t outside[] = { LONG_JUMP(0x1000), 0xbf810000 };
	const uint32_t alone[] = { 0xbe801d04, 0xbf810000 };
#define IS(code, ...) is_graph(&mx_gfx950, code, sizeof code, __VA_ARGS__)
	IS(forward, "xx.x.x.x", 0, "a long jump forward");
	IS(back, "xxxxx.x.x.", 0, "a long jump back");
	IS(into_the_middle, "xxx.x.x..", 1, "a branch to its s_addc_u32 makes it unknown");
	IS(back_into_the_middle, "xx.x.x.xx", 1, "wherever the branch is");
	IS(other_pair, "xx.x.x..", 1, "a sum in another pair is unknown");
	IS(outside, "xx.x.x.", 1, "a target outside is unknown");
	IS(alone, "x.", 1, "so is s_setpc_b64 alone");
#undef IS
}

static void gfx1250(void) {
	const uint32_t literal[] = {
		0xbe804bfe, 4, 0, /* gfx1250: s_add_pc_i64 lit64(0x4) */
		0xbf800000,       /* gfx1250: s_nop 0 */
		0xbfb00000,       /* gfx1250: s_endpgm */
	};
	const uint32_t registers[] = {
		0xbe804b00, /* gfx1250: s_add_pc_i64 s[0:1] */
		0xbfb00000, /* gfx1250: s_endpgm */
	};
	is_graph(&mx_gfx1250, literal, sizeof literal, "x...x", 0, "s_add_pc_i64 of a literal");
	is_graph(&mx_gfx1250, registers, sizeof registers, "x.", 1, "of registers it is unknown");
}

/* What a kernel may execute: of the second of two its own code, unless it leaves it. */
static void is_reached(const uint32_t *code, size_t bytes, uint64_t entry, const char *want,
                       const char *what) {
	char got[64];
	struct mx_program *p = mx_program_new(&mx_gfx950, code, bytes, 0);
	const bool *reached = p ? mx_program_reached(p, entry) : NULL;
	need(reached, "memory");
	for (unsigned i = 0; i < bytes / 4; i++)
		got[i] = reached[i] ? 'x' : '.';
	got[bytes / 4] = 0;
	if (!ok(!strcmp(got, want), "%s", what))
		diag("reached %s", got);
	mx_program_free(p);
}

static void reached(void) {
	uint32_t code[] = {
		0xbf810000,             /* s_endpgm */
		0x8004ff04, 0x00001234, /* s_add_u32 s4, s4, 0x1234 */
		0xbf800000,             /* s_nop 0 */
		0xbf810000,             /* s_endpgm */
		0xbf800000,             /* s_nop 0 */
	};
	is_reached(code, sizeof code, 0, "x.....", "of the first kernel its end is reached");
	is_reached(code, sizeof code, 4, ".x.xx.", "of the second its own instructions");
	is_reached(code, sizeof code, 64, "xxxxxx", "from an entry outside, any");
	code[3] = 0xbe801d04; /* s_setpc_b64 s[4:5] */
	is_reached(code, sizeof code, 4, "xxxxxx", "through an unknown jump, any");
	code[3] = 0xbe841e04; /* s_swappc_b64 s[4:5], s[4:5] */
	is_reached(code, sizeof code, 4, "xxxxxx", "by a call, any");
}

int main(void) {
	gfx950();
	gfx1250();
	reached();
	return done_testing();
}
