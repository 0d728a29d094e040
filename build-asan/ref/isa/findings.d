build-asan/ref/isa/findings.o: ref/isa/findings.c ref/isa/disasm.h \
 ref/isa/machine.h ref/isa/inst.h ref/isa/../mxref.h ref/isa/atomic.h \
 ref/isa/types.def ref/isa/isa.h ref/isa/findings.def ref/isa/lanes.h
ref/isa/disasm.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
