; A15: the bank of VGPRs is not set where the sums are cleared, so that registers of the first bank are
; cleared instead. The correct twin is cases/foreign/gfx1250_mxfp8_asm.s, which differs in the operand
; of an s_set_vgpr_msb alone.
	.set bank_of_clear, 0
#include "../../cases/foreign/gfx1250_mxfp8_asm.s"
