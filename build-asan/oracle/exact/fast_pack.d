build-asan/oracle/exact/fast_pack.o: oracle/exact/fast_pack.c \
 oracle/exact/fast.h oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/fast.h:
oracle/exact/inside.h:
oracle/exact/exact.h:
