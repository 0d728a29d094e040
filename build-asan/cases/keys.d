build-asan/cases/keys.o: cases/keys.c cases/schema.h cases/source.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def
cases/schema.h:
cases/source.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
