build-asan/ref/isa/uses.o: ref/isa/uses.c ref/isa/uses.h ref/isa/inst.h \
 ref/isa/../mxref.h ref/isa/atomic.h ref/isa/types.def ref/isa/isa.h \
 ref/isa/findings.def ref/isa/machine.h ref/isa/lanes.h
ref/isa/uses.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/machine.h:
ref/isa/lanes.h:
