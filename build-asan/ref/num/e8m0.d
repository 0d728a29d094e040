build-asan/ref/num/e8m0.o: ref/num/e8m0.c ref/num/f32.h \
 ref/num/../mxref.h ref/num/round.h
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
