build-asan/oracle/exact/exact_dequantise.o: \
 oracle/exact/exact_dequantise.c oracle/exact/inside.h \
 oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
