build-asan/ref/mma/dot.o: ref/mma/dot.c ref/mma/step.h ref/mma/../mxref.h \
 ref/mma/wide.h
ref/mma/step.h:
ref/mma/../mxref.h:
ref/mma/wide.h:
