build-asan/ref/mma/tile.o: ref/mma/tile.c ref/mma/tile.h \
 ref/mma/../mxref.h
ref/mma/tile.h:
ref/mma/../mxref.h:
