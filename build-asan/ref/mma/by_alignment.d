build-asan/ref/mma/by_alignment.o: ref/mma/by_alignment.c ref/mma/tile.h \
 ref/mma/../mxref.h ref/mma/../num/f32.h ref/mma/../num/../mxref.h \
 ref/mma/../num/round.h
ref/mma/tile.h:
ref/mma/../mxref.h:
ref/mma/../num/f32.h:
ref/mma/../num/../mxref.h:
ref/mma/../num/round.h:
