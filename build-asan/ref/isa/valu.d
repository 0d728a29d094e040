build-asan/ref/isa/valu.o: ref/isa/valu.c ref/isa/vector.h \
 ref/isa/lanes.h ref/isa/../mxref.h ref/isa/machine.h ref/isa/inst.h \
 ref/isa/atomic.h ref/isa/types.def ref/isa/isa.h ref/isa/findings.def
ref/isa/vector.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
