build-asan/ref/isa/atomic.o: ref/isa/atomic.c ref/isa/atomic.h
ref/isa/atomic.h:
