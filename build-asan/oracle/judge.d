build-asan/oracle/judge.o: oracle/judge.c oracle/metrics.h \
 oracle/pattern.h oracle/product.h oracle/bench_inside.h oracle/bench.h \
 oracle/../cases/case.h oracle/../cases/../ref/mxref.h \
 oracle/../cases/dtypes.def oracle/../kernels/device.h \
 oracle/../kernels/../ref/isa/isa.h \
 oracle/../kernels/../ref/isa/../mxref.h \
 oracle/../kernels/../ref/isa/findings.def oracle/exact/exact.h
oracle/metrics.h:
oracle/pattern.h:
oracle/product.h:
oracle/bench_inside.h:
oracle/bench.h:
oracle/../cases/case.h:
oracle/../cases/../ref/mxref.h:
oracle/../cases/dtypes.def:
oracle/../kernels/device.h:
oracle/../kernels/../ref/isa/isa.h:
oracle/../kernels/../ref/isa/../mxref.h:
oracle/../kernels/../ref/isa/findings.def:
oracle/exact/exact.h:
