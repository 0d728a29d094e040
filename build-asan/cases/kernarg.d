build-asan/cases/kernarg.o: cases/kernarg.c cases/kernarg.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def cases/scope.h cases/schema.h \
 cases/source.h
cases/kernarg.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/scope.h:
cases/schema.h:
cases/source.h:
