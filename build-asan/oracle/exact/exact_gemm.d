build-asan/oracle/exact/exact_gemm.o: oracle/exact/exact_gemm.c \
 oracle/exact/fast.h oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/fast.h:
oracle/exact/inside.h:
oracle/exact/exact.h:
