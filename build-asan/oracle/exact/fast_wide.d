build-asan/oracle/exact/fast_wide.o: oracle/exact/fast_wide.c \
 oracle/exact/fast.h oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/fast.h:
oracle/exact/inside.h:
oracle/exact/exact.h:
