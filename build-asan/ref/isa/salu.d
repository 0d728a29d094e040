build-asan/ref/isa/salu.o: ref/isa/salu.c ref/isa/salu.h
ref/isa/salu.h:
