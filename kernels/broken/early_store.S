; S12: the sums are stored before the last matrix instruction has written them: too few wait states.
; The correct twin is cases/foreign/mxfp8_asm.s, which differs in an s_nop alone.
	.set nop_before_store, -1
#include "../../cases/foreign/mxfp8_asm.s"
