build-asan/ref/isa/forms.o: ref/isa/forms.c ref/isa/forms.h \
 ref/isa/disasm.h
ref/isa/forms.h:
ref/isa/disasm.h:
