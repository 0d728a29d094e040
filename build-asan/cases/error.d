build-asan/cases/error.o: cases/error.c cases/case.h cases/../ref/mxref.h \
 cases/dtypes.def
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
