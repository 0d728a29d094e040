build-asan/ref/num/quantize_simd.o: ref/num/quantize_simd.c \
 ref/num/number.h ref/num/f32.h ref/num/../mxref.h ref/num/round.h \
 ref/num/formats.def ref/num/floats.def ref/num/quantize.h
ref/num/number.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/formats.def:
ref/num/floats.def:
ref/num/quantize.h:
