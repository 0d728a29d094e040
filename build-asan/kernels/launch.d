build-asan/kernels/launch.o: kernels/launch.c kernels/hip_runtime.h \
 kernels/device.h kernels/../ref/isa/isa.h kernels/../ref/isa/../mxref.h \
 kernels/../ref/isa/findings.def kernels/hip_functions.def
kernels/hip_runtime.h:
kernels/device.h:
kernels/../ref/isa/isa.h:
kernels/../ref/isa/../mxref.h:
kernels/../ref/isa/findings.def:
kernels/hip_functions.def:
