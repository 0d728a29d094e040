build-asan/ref/isa/inflight.o: ref/isa/inflight.c ref/isa/machine.h \
 ref/isa/inst.h ref/isa/../mxref.h ref/isa/atomic.h ref/isa/types.def \
 ref/isa/isa.h ref/isa/findings.def ref/isa/lanes.h
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
