build-asan/ref/num/format.o: ref/num/format.c ref/num/number.h \
 ref/num/f32.h ref/num/../mxref.h ref/num/round.h ref/num/formats.def \
 ref/num/floats.def
ref/num/number.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/formats.def:
ref/num/floats.def:
