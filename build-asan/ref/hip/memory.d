build-asan/ref/hip/memory.o: ref/hip/memory.c ref/hip/runtime.h \
 ref/hip/mxhip.h ref/hip/../isa/isa.h ref/hip/../isa/../mxref.h \
 ref/hip/../isa/findings.def
ref/hip/runtime.h:
ref/hip/mxhip.h:
ref/hip/../isa/isa.h:
ref/hip/../isa/../mxref.h:
ref/hip/../isa/findings.def:
