build-asan/ref/num/dequantize.o: ref/num/dequantize.c ref/num/f32.h \
 ref/num/../mxref.h ref/num/round.h
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
