build-asan/ref/isa/ds_atomic.o: ref/isa/ds_atomic.c ref/isa/atomic.h \
 ref/isa/ds.h ref/isa/machine.h ref/isa/inst.h ref/isa/../mxref.h \
 ref/isa/types.def ref/isa/isa.h ref/isa/findings.def ref/isa/lanes.h
ref/isa/atomic.h:
ref/isa/ds.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
