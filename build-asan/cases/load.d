build-asan/cases/load.o: cases/load.c cases/schema.h cases/source.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def
cases/schema.h:
cases/source.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
