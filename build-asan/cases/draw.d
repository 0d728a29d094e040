build-asan/cases/draw.o: cases/draw.c cases/draw.h
cases/draw.h:
