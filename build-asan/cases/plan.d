build-asan/cases/plan.o: cases/plan.c cases/dtype.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def cases/kernarg.h cases/scope.h \
 cases/schema.h cases/source.h
cases/dtype.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/kernarg.h:
cases/scope.h:
cases/schema.h:
cases/source.h:
