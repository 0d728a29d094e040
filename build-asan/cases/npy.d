build-asan/cases/npy.o: cases/npy.c cases/npy.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def
cases/npy.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
