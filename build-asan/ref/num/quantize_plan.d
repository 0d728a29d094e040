build-asan/ref/num/quantize_plan.o: ref/num/quantize_plan.c \
 ref/num/quantize.h ref/num/f32.h ref/num/../mxref.h ref/num/round.h
ref/num/quantize.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
