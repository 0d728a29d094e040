build-asan/cases/dtype.o: cases/dtype.c cases/dtype.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def
cases/dtype.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
