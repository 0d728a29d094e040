build-asan/cases/fill_special.o: cases/fill_special.c cases/fill.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def cases/draw.h
cases/fill.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/draw.h:
