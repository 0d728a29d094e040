; S12: the matrix instruction immediately follows the shift of a scale that it reads: too few wait
; states after a write of the vector ALU.
; The correct twin is cases/foreign/mxfp8_asm.s, which differs in an s_nop alone.
	.set nop_before_multiply, -1
#include "../../cases/foreign/mxfp8_asm.s"
