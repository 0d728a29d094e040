build-asan/kernels/device.o: kernels/device.c \
 kernels/../ref/hip/props_r0600.h kernels/hip_runtime.h kernels/device.h \
 kernels/../ref/isa/isa.h kernels/../ref/isa/../mxref.h \
 kernels/../ref/isa/findings.def kernels/hip_functions.def
kernels/../ref/hip/props_r0600.h:
kernels/hip_runtime.h:
kernels/device.h:
kernels/../ref/isa/isa.h:
kernels/../ref/isa/../mxref.h:
kernels/../ref/isa/findings.def:
kernels/hip_functions.def:
