build-asan/ref/isa/decode.o: ref/isa/decode.c ref/isa/decode.h \
 ref/isa/disasm.h ref/isa/machine.h ref/isa/inst.h ref/isa/../mxref.h \
 ref/isa/atomic.h ref/isa/types.def ref/isa/isa.h ref/isa/findings.def \
 ref/isa/lanes.h ref/isa/vector.h ref/isa/opcodes.def \
 ref/isa/../num/cvt.def
ref/isa/decode.h:
ref/isa/disasm.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
ref/isa/vector.h:
ref/isa/opcodes.def:
ref/isa/../num/cvt.def:
