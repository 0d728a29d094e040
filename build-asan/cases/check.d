build-asan/cases/check.o: cases/check.c cases/schema.h cases/source.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def cases/dtype.h \
 cases/kernarg.h
cases/schema.h:
cases/source.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/dtype.h:
cases/kernarg.h:
