build-asan/cases/fill_general.o: cases/fill_general.c cases/fill.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def cases/draw.h
cases/fill.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/draw.h:
