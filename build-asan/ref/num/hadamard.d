build-asan/ref/num/hadamard.o: ref/num/hadamard.c ref/num/quantize.h \
 ref/num/f32.h ref/num/../mxref.h ref/num/round.h
ref/num/quantize.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
