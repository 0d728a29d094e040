build-asan/oracle/exact/exact_regime.o: oracle/exact/exact_regime.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
