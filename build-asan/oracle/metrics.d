build-asan/oracle/metrics.o: oracle/metrics.c oracle/metrics.h
oracle/metrics.h:
