build-asan/cases/scope.o: cases/scope.c cases/scope.h cases/schema.h \
 cases/source.h cases/case.h cases/../ref/mxref.h cases/dtypes.def
cases/scope.h:
cases/schema.h:
cases/source.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
