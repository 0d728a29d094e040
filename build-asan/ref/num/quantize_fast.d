build-asan/ref/num/quantize_fast.o: ref/num/quantize_fast.c \
 ref/num/quantize.h ref/num/f32.h ref/num/../mxref.h ref/num/round.h
ref/num/quantize.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
