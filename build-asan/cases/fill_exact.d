build-asan/cases/fill_exact.o: cases/fill_exact.c cases/fill.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def cases/draw.h
cases/fill.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/draw.h:
