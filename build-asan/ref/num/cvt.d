build-asan/ref/num/cvt.o: ref/num/cvt.c ref/num/number.h ref/num/f32.h \
 ref/num/../mxref.h ref/num/round.h ref/num/formats.def \
 ref/num/floats.def ref/num/cvt.def
ref/num/number.h:
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
ref/num/formats.def:
ref/num/floats.def:
ref/num/cvt.def:
