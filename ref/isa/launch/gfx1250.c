/* The instruction set of gfx1250: its encodings and texts. Its instructions are not executed yet.
 */
#include "../encoding/decode.h"
#include "../encoding/disasm.h"
#include "../encoding/instruction_set.h"
#include "launch.h"

static const char *unsupported(const struct mx_launch *l) {
	(void)l;
	return "code for gfx1250, which is not executed yet";
}

const struct mx_isa mx_gfx1250 = {
	.name = "gfx1250",
	.wave_size = 32,
	.vgprs = 1024,
	.nop = { "s_nop", 0xbf800000 },
	.unsupported = unsupported,
	.ops = mx_gfx950_ops,
	.n_ops = MX_OPS,
	.encodings = &mx_gfx1250_encodings,
	.decode = mx_gfx1250_decode,
	.disassemble = mx_gfx1250_disassemble,
	.banks_after = mx_gfx1250_banks_after,
};
