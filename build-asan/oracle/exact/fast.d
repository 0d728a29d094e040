build-asan/oracle/exact/fast.o: oracle/exact/fast.c oracle/exact/fast.h \
 oracle/exact/inside.h oracle/exact/exact.h
oracle/exact/fast.h:
oracle/exact/inside.h:
oracle/exact/exact.h:
