build-asan/ref/isa/disasm.o: ref/isa/disasm.c ref/isa/disasm.h \
 ref/isa/gfx950.def
ref/isa/disasm.h:
ref/isa/gfx950.def:
