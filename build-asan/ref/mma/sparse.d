build-asan/ref/mma/sparse.o: ref/mma/sparse.c ref/mma/dense.h \
 ref/mma/../mxref.h ref/mma/sparse.def
ref/mma/dense.h:
ref/mma/../mxref.h:
ref/mma/sparse.def:
