build-asan/oracle/exact/exact_orders.o: oracle/exact/exact_orders.c \
 oracle/exact/exact.h
oracle/exact/exact.h:
