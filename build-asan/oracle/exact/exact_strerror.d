build-asan/oracle/exact/exact_strerror.o: oracle/exact/exact_strerror.c \
 oracle/exact/exact.h
oracle/exact/exact.h:
