build-asan/ref/isa/lanes_divide.o: ref/isa/lanes_divide.c \
 ref/isa/float_bits.h ref/isa/lanes.h ref/isa/../mxref.h \
 ref/isa/lane_macros.h
ref/isa/float_bits.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
ref/isa/lane_macros.h:
