build-asan/ref/mma/layout.o: ref/mma/layout.c ref/mma/../mxref.h
ref/mma/../mxref.h:
