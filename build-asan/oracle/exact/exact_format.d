build-asan/oracle/exact/exact_format.o: oracle/exact/exact_format.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
