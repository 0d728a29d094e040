/* Live registers: live.c. */
#include "../../ref/isa/encoding/instruction_set.h"
#include "../../ref/isa/encoding/operands.h"
#include "../../ref/isa/machine/wave.h"
#include "../../ref/isa/race/liveness.h"
#include "../tap.h"

#define VGPR(n) (n)
#define SGPR(n) (MX_ROW_SCALAR + (n))
enum { DEAD, LIVE };

static void test_row(const char *assembly, const uint32_t *code, size_t bytes, unsigned row,
                     bool in_exec, bool want, const char *what) {
	struct mx_program *p = mx_program_new(&mx_gfx950, code, bytes, 0);
	if (!ok(p && mx_is_live(p, 0, 0, row, in_exec) == want, "%s: %s", what,
	        want ? "live" : "dead"))
		diag("register %u at the start of: %s", row, assembly);
	mx_program_free(p);
}

#define DWORDS(...)                                                                                \
	(const uint32_t[]) {                                                                       \
		__VA_ARGS__                                                                        \
	}
#define ROW(assembly, code, row, in_exec, want, what)                                              \
	test_row(assembly, DWORDS code, sizeof(DWORDS code), row, in_exec, want, what);

int main(void) {
#include "live.def"
	return done_testing();
}
