build-asan/ref/isa/disasm_modifier.o: ref/isa/disasm_modifier.c \
 ref/isa/disasm.h
ref/isa/disasm.h:
