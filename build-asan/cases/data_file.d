build-asan/cases/data_file.o: cases/data_file.c cases/dtype.h \
 cases/case.h cases/../ref/mxref.h cases/dtypes.def cases/npy.h
cases/dtype.h:
cases/case.h:
cases/../ref/mxref.h:
cases/dtypes.def:
cases/npy.h:
