build-asan/oracle/exact/exact_freivalds.o: oracle/exact/exact_freivalds.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
