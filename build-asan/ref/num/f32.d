build-asan/ref/num/f32.o: ref/num/f32.c ref/num/f32.h ref/num/../mxref.h \
 ref/num/round.h
ref/num/f32.h:
ref/num/../mxref.h:
ref/num/round.h:
