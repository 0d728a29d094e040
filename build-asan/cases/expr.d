build-asan/cases/expr.o: cases/expr.c cases/case.h cases/../ref/mxref.h \
 cases/dtypes.def
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
