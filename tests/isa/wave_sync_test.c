/* How the waves of each kernel of a program synchronise: polls.c. */
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/isa.h"
#include "../../ref/isa/race/wave_sync.h"
#include "../tap.h"

/* Kernels of one program. */
static const uint32_t code[] = {
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0xbf810000,             /* s_endpgm */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xbf810000,             /* s_endpgm */
	0xdd098000, 0x03000106, /* global_atomic_add v3, v6, v1, s[0:1] sc0 */
	0xbf810000,             /* s_endpgm */
	0xbe9e1e1e,             /* s_swappc_b64 s[30:31], s[30:31] */
	0xbf810000,             /* s_endpgm */
	0xbe801d1e,             /* s_setpc_b64 s[30:31] */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf850000,             /* s_cbranch_scc1 0 */
	0xb005fff9,             /* s_movk_i32 s5, 0xfff9 */
	0xbf810000,             /* s_endpgm */
	0xdc504000, 0x037f0000, /* scratch_load_dword v3, off, off */
	0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xbf810000,             /* s_endpgm */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080504,             /* v_readfirstlane_b32 s4, v4 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xbf810000,             /* s_endpgm */
	0xd86c0000, 0x03000008, /* ds_read_b32 v3, v8 */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf840006,             /* s_cbranch_scc0 6 */
	0xd86c0000, 0x03000009, /* ds_read_b32 v3, v9 */
	0xbf8cc07f,             /* s_waitcnt lgkmcnt(0) */
	0x7e080503,             /* v_readfirstlane_b32 s4, v3 */
	0xbf068004,             /* s_cmp_eq_u32 s4, 0 */
	0xbf85fffa,             /* s_cbranch_scc1 65530 */
	0xbf810000,             /* s_endpgm */
};
enum {
	PLAIN = 0,
	POLLS = 4,
	COUNTS = 11,
	CALLS = 14,
	JUMPS = 16,
	ONCE = 17,
	SCRATCH = 25,
	ASIDE = 32,
	ENTERED = 39, /* and the same load before the loop two dwords later */
	POLL = 4      /* the load that polls */
};

static void test_kernel(const struct mx_program *p, unsigned entry, bool any, bool polls,
                        const char *what) {
	const struct mx_wave_sync *m = mx_program_wave_sync(p, 4ull * entry);
	if (!ok(m && m->any == any && m->any_polls == polls && m->polls[POLL] == polls &&
	                !m->polls[ONCE],
	        "%s", what) &&
	    m)
		diag("synchronises %d, polls %d", m->any, m->any_polls);
}

int main(void) {
	struct mx_program *p = mx_program_new(&mx_gfx950, code, sizeof code, 0);
	test_kernel(p, POLLS, true, true, "a kernel that polls");
	test_kernel(p, PLAIN, false, false, "a kernel before it does not synchronise");
	test_kernel(p, COUNTS, true, false, "a kernel after it has an atomic and no poll");
	test_kernel(p, ONCE, false, false,
	            "nor does a kernel with a forward branch and a constant of -7");
	test_kernel(p, SCRATCH, false, false, "nor a kernel that loads its own scratch in a loop");
	test_kernel(p, ASIDE, false, false, "nor a loop that the register after the load's ends");
	test_kernel(p, CALLS, true, true, "a kernel that calls through a register may poll");
	test_kernel(p, JUMPS, true, true, "so may a kernel that jumps through a register");
	const struct mx_wave_sync *entered = mx_program_wave_sync(p, 4 * ENTERED);
	ok(entered && !entered->polls[ENTERED] && entered->polls[ENTERED + 2] &&
	           entered->polls[ENTERED + 8],
	   "the load of a rotated loop polls before it as well, and no other load does");
	ok(mx_program_wave_sync(p, 4 * POLLS + 1) && mx_program_wave_sync(p, sizeof code),
	   "an entry that is no instruction does not crash");
	ok(mx_program_wave_sync(p, 4 * POLLS) == mx_program_wave_sync(p, 4 * POLLS),
	   "the result is cached");
	mx_program_free(p);
	return done_testing();
}
