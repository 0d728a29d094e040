build-asan/ref/isa/lanes_f32.o: ref/isa/lanes_f32.c ref/isa/float_lanes.h \
 ref/isa/float_bits.h ref/isa/lanes.h ref/isa/../mxref.h \
 ref/isa/lane_macros.h
ref/isa/float_lanes.h:
ref/isa/float_bits.h:
ref/isa/lanes.h:
ref/isa/../mxref.h:
ref/isa/lane_macros.h:
