build-asan/ref/isa/flat.o: ref/isa/flat.c ref/isa/vmem.h \
 ref/isa/machine.h ref/isa/inst.h ref/isa/../mxref.h ref/isa/atomic.h \
 ref/isa/types.def ref/isa/isa.h ref/isa/findings.def ref/isa/lanes.h
ref/isa/vmem.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
