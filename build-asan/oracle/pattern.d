build-asan/oracle/pattern.o: oracle/pattern.c oracle/pattern.h
oracle/pattern.h:
