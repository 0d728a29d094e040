build-asan/ref/mma/wide.o: ref/mma/wide.c ref/mma/wide.h \
 ref/mma/../mxref.h ref/mma/../num/f32.h ref/mma/../num/../mxref.h \
 ref/mma/../num/round.h
ref/mma/wide.h:
ref/mma/../mxref.h:
ref/mma/../num/f32.h:
ref/mma/../num/../mxref.h:
ref/mma/../num/round.h:
