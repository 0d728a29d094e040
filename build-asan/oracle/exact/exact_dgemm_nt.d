build-asan/oracle/exact/exact_dgemm_nt.o: oracle/exact/exact_dgemm_nt.c \
 oracle/exact/exact.h
oracle/exact/exact.h:
