/* Live registers: live.c. */
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/machine/wave.h"
#include "../../ref/isa/race/liveness.h"
#include "../tap.h"

#define VGPR(n) (n)
#define SGPR(n) (MX_ROW_SCALAR + (n))
enum { DEAD, LIVE };

static void test(const struct mx_isa *isa, const char *assembly, const uint32_t *code, size_t bytes,
                 unsigned row, bool in_exec, bool want, const char *what) {
	struct mx_program *p = mx_program_new(isa, code, bytes, 0);
	if (!ok(p && mx_is_live(p, 0, 0, row, in_exec, false) == want, "%s: %s", what,
	        want ? "live" : "dead"))
		diag("register %u at the start of: %s", row, assembly);
	mx_program_free(p);
}

#define DWORDS(...)                                                                                \
	(const uint32_t[]) {                                                                       \
		__VA_ARGS__                                                                        \
	}
#define ROW(assembly, code, row, in_exec, want, what)                                              \
	test(&mx_gfx950, assembly, DWORDS code, sizeof(DWORDS code), row, in_exec, want, what);

/* Of a block, M0 selects the registers that are loaded. */
static void test_block(void) {
	static const uint32_t code[] = {
		0xee14c07c, 0x00000008,
		0x00000004, /* gfx1250: global_load_block v[8:39], v[4:5], off */
		0xbfc00000, /* gfx1250: s_wait_loadcnt 0x0 */
		0xee06807c, 0x04000000,
		0x00000004, /* gfx1250: global_store_b32 v[4:5], v8, off */
		0xbfb00000, /* gfx1250: s_endpgm */
	};
	test(&mx_gfx1250, "global_load_block v[8:39], v[4:5], off", code, sizeof code, VGPR(8),
	     true, LIVE, "a block may leave out a register");
}

int main(void) {
#include "live.def"
	test_block();
	return done_testing();
}
