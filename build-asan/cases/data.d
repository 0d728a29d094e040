build-asan/cases/data.o: cases/data.c cases/dtype.h cases/case.h \
 cases/../ref/mxref.h cases/dtypes.def cases/fill.h cases/draw.h
cases/dtype.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/fill.h:
cases/draw.h:
