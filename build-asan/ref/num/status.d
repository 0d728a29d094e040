build-asan/ref/num/status.o: ref/num/status.c ref/num/../mxref.h
ref/num/../mxref.h:
