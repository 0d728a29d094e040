; S12: the matrix instruction comes right behind the shift of a scale that it reads, too early for
; what the vector ALU writes.
; The correct twin is cases/foreign/mxfp8_asm.s, which differs in an s_nop alone.
	.set nop_before_multiply, -1
#include "../../cases/foreign/mxfp8_asm.s"
