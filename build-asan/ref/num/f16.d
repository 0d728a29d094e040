build-asan/ref/num/f16.o: ref/num/f16.c ref/num/number.h ref/num/f32.h \
 ref/num/../mxref.h ref/num/round.h ref/num/formats.def \
 ref/num/floats.def
ref/num/number.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/formats.def:
ref/num/floats.def:
