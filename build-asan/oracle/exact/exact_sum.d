build-asan/oracle/exact/exact_sum.o: oracle/exact/exact_sum.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
