build-asan/oracle/exact/exact_bound.o: oracle/exact/exact_bound.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
