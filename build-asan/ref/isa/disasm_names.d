build-asan/ref/isa/disasm_names.o: ref/isa/disasm_names.c \
 ref/isa/disasm.h
ref/isa/disasm.h:
