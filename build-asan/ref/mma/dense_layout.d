build-asan/ref/mma/dense_layout.o: ref/mma/dense_layout.c \
 ref/mma/../mxref.h ref/mma/dense.def
ref/mma/../mxref.h:
ref/mma/dense.def:
