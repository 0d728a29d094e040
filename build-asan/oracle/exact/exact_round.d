build-asan/oracle/exact/exact_round.o: oracle/exact/exact_round.c \
 oracle/exact/exact.h
oracle/exact/exact.h:
