build-asan/ref/num/scaled.o: ref/num/scaled.c ref/num/number.h \
 ref/num/f32.h ref/num/../mxref.h ref/num/round.h ref/num/formats.def \
 ref/num/floats.def
ref/num/number.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/formats.def:
ref/num/floats.def:
