build-asan/ref/mma/mma.o: ref/mma/mma.c ref/mma/step.h ref/mma/../mxref.h \
 ref/mma/wide.h ref/mma/tile.h ref/mma/../num/f32.h \
 ref/mma/../num/../mxref.h ref/mma/../num/round.h
ref/mma/step.h:
ref/mma/../mxref.h:
ref/mma/wide.h:
ref/mma/tile.h:
ref/mma/../num/f32.h:
ref/mma/../num/../mxref.h:
ref/mma/../num/round.h:
