build-asan/ref/num/quantize.o: ref/num/quantize.c ref/num/f32.h \
 ref/num/../mxref.h ref/num/round.h
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
