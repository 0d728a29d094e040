build-asan/ref/isa/ds_lane.o: ref/isa/ds_lane.c ref/isa/ds.h \
 ref/isa/machine.h ref/isa/inst.h ref/isa/../mxref.h ref/isa/atomic.h \
 ref/isa/types.def ref/isa/isa.h ref/isa/findings.def ref/isa/lanes.h
ref/isa/ds.h:
ref/isa/machine.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
ref/isa/isa.h:
ref/isa/findings.def:
ref/isa/lanes.h:
