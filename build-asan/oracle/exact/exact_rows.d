build-asan/oracle/exact/exact_rows.o: oracle/exact/exact_rows.c \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/inside.h:
oracle/exact/exact.h:
