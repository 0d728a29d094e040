build-asan/oracle/exact/exact_bf16.o: oracle/exact/exact_bf16.c \
 oracle/exact/exact.h
oracle/exact/exact.h:
