build-asan/oracle/exact/fast_int8.o: oracle/exact/fast_int8.c \
 oracle/exact/fast.h oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/fast.h:
oracle/exact/inside.h:
oracle/exact/exact.h:
