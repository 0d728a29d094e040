build-asan/ref/hip/device.o: ref/hip/device.c ref/hip/props_r0600.h \
 ref/hip/runtime.h ref/hip/mxhip.h ref/hip/../isa/isa.h \
 ref/hip/../isa/../mxref.h ref/hip/../isa/findings.def
ref/hip/props_r0600.h:
ref/hip/runtime.h:
ref/hip/mxhip.h:
ref/hip/../isa/isa.h:
ref/hip/../isa/../mxref.h:
ref/hip/../isa/findings.def:
