build-asan/ref/isa/disasm_operand.o: ref/isa/disasm_operand.c \
 ref/isa/disasm.h ref/isa/inst.h ref/isa/../mxref.h ref/isa/atomic.h \
 ref/isa/types.def
ref/isa/disasm.h:
ref/isa/inst.h:
ref/isa/../mxref.h:
ref/isa/atomic.h:
ref/isa/types.def:
