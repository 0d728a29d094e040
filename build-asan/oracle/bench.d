build-asan/oracle/bench.o: oracle/bench.c oracle/bench_inside.h \
 oracle/bench.h oracle/../cases/case.h oracle/../cases/../ref/mxref.h \
 oracle/../cases/dtypes.def oracle/../kernels/device.h \
 oracle/../kernels/../ref/isa/isa.h \
 oracle/../kernels/../ref/isa/../mxref.h \
 oracle/../kernels/../ref/isa/findings.def oracle/metrics.h
oracle/bench_inside.h:
oracle/bench.h:
oracle/../cases/case.h:
oracle/../cases/../ref/mxref.h:
oracle/../cases/dtypes.def:
oracle/../kernels/device.h:
oracle/../kernels/../ref/isa/isa.h:
oracle/../kernels/../ref/isa/../mxref.h:
oracle/../kernels/../ref/isa/findings.def:
oracle/metrics.h:
