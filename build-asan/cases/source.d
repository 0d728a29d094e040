build-asan/cases/source.o: cases/source.c cases/source.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def
cases/source.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
