build-asan/ref/mma/dense.o: ref/mma/dense.c ref/mma/dense.h \
 ref/mma/../mxref.h ref/mma/step.h ref/mma/wide.h ref/mma/../num/f32.h \
 ref/mma/../num/../mxref.h ref/mma/../num/round.h
ref/mma/dense.h:
ref/mma/../mxref.h:
ref/mma/step.h:
ref/mma/wide.h:
ref/mma/../num/f32.h:
ref/mma/../num/../mxref.h:
ref/mma/../num/round.h:
