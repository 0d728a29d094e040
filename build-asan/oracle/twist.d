build-asan/oracle/twist.o: oracle/twist.c oracle/twist.h \
 oracle/exact/exact.h
oracle/twist.h:
oracle/exact/exact.h:
