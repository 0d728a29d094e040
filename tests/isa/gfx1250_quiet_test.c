/* Instructions of which no watcher needs a call (w->quiet), on gfx1250: banks of VGPRs. The dwords
 * come from llvm-mc -mcpu=gfx1250. */
#include "machine_test.h"

enum { WAVE32 = 1 << 10 };

static unsigned find_races(const uint32_t *code, size_t bytes, bool lane_by_lane) {
	struct machine m = machine();
	unsigned found = 0;
	fill_arena(0);
	m.launch.analysis = MX_ANALYSE_ORDER;
	m.kernel.properties |= WAVE32;
	m.kernel.agprs = 0;
	m.kernel.vgprs = 288;
	m.kernel.entry = (uintptr_t)code;
	m.launch.kernel = &m.kernel;
	m.launch.block[0] = 32;
	m.launch.lane_by_lane = lane_by_lane;
	m.launch.program = mx_program_new(&mx_gfx1250, code, bytes, (uintptr_t)code);
	m.ran = mx_launch_run(&m.launch, &m.report);
	for (size_t i = 0; m.ran && i < m.report.n_findings; i++)
		found += m.report.findings[i].kind == MX_RACE_REGISTER;
	mx_program_free((struct mx_program *)m.launch.program);
	mx_report_free(&m.report);
	return found;
}

/* v2 is v258, where it is loaded and where it is read. */
static void test_banks(void) {
	static const uint32_t code[] = {
		0xbf860040,                         /* s_set_vgpr_msb 64 */
		0xee050000, 0x00000002, 0x00000000, /* global_load_b32 v2, v0, s[0:1] */
		0xbf860001,                         /* s_set_vgpr_msb 1 */
		0x7e060302,                         /* v_mov_b32_e32 v3, v2 */
		0xbfb00000,                         /* s_endpgm */
	};
	ok(find_races(code, sizeof code, true) == 1 && find_races(code, sizeof code, false) == 1,
	   "a pending load in another bank of VGPRs is found");
}

int main(void) {
	test_banks();
	return done_testing();
}
