# make run      installs missing packages, builds, and runs mxcheck on the quick cases
# make check    the same installation, then the tests
# make install | uninstall    PREFIX=/usr/local DESTDIR=
# make check-long | check-nightly | check-hw | crosscheck | bench
# make all | kernel-report | clean                            V=1 shows the commands

B      ?= build
CC     ?= cc
OPT    ?= -O3
SAN    ?=
Q      := $(if $(V),,@)
override CFLAGS += -std=gnu11 $(BASE) $(OPT) $(SAN) -g -fPIC -fvisibility=hidden -ffp-contract=off -pthread \
          -MMD -MP -Wall -Wextra -Wno-missing-field-initializers -Wno-psabi

# The oldest CPU for which this compiles, and the steps above it for which STEPPED is compiled again
# (ref/num/cpu.h). None of them changes a bit of a result.
X86      := $(filter x86_64%,$(shell $(CC) -dumpmachine))
BASE     := $(if $(X86),-march=x86-64-v2)
STEPS    := $(if $(X86),v3 v4)
STEPPED  := $(wildcard ref/isa/alu/lanes_*.c) $(addprefix ref/isa/,alu/valu_simple.c alu/vtaint_together.c \
            machine/spans.c memory/lane_addresses.c race/footprint.c race/summary.c uninit/sums_lanes.c)

all: $(B)/mxcheck $(B)/libmxhip.so $(B)/libmxref.so kernels
.PHONY: all setup run check check-long check-nightly check-hw bench kernels kernel-report tests clean

# ---- rooms: one archive each. USES_x: the libraries that room x may call, and that its tests link ----
sources   = $(sort $(wildcard $(addsuffix /*.c,$(1))))
objects   = $(patsubst %.c,$(B)/%.o,$(sources) $(foreach s,$(STEPS),$(patsubst %.c,%.$s.c,$(filter $(STEPPED),$(sources)))))
archives  = $(patsubst %,$(B)/lib%.a,$(1))
# The rooms of the emulator, lowest first.
ISA      := encoding machine schedule uninit alu memory race waitstates lint launch
ROOMS    := codeobject mxref kernels cases probe oracle fuzz ci
SRC_codeobject := ref/codeobject
SRC_mxref := ref/num ref/mma $(addprefix ref/isa/,$(ISA))
SRC_hip   := ref/hip
SRC_kernels := kernels/host
SRC_probe := oracle/probe
SRC_oracle := oracle oracle/exact
SRC_fuzz  := fuzz/hunt fuzz/mutation fuzz/shapes
SRC_ci    := ci/cli ci/inspect ci/numbers ci/reports
$(foreach r,$(ROOMS),$(eval SRC_$r ?= $r))
$(foreach r,$(ROOMS),$(eval $(B)/lib$r.a: $(call objects,$(SRC_$r))))

# msgpack-c 6 renamed its library.
MSGPACK     := $(if $(wildcard /usr/lib/*/libmsgpack-c.so),-lmsgpack-c,-lmsgpackc)
USES_codeobject := $(call archives,codeobject) -lelf -lz -lzstd $(MSGPACK) -Wl,--as-needed -ldw -Wl,--no-as-needed
USES_num     := $(call archives,mxref) -lm
USES_mma     := $(USES_num)
USES_isa     := $(USES_num)
USES_hip     := $(B)/libmxhip.so
USES_kernels := $(call archives,kernels mxref) $(USES_codeobject) -ldl -lm
USES_cases   := $(call archives,cases mxref) -lcyaml -lyaml -lm
USES_probe   := $(call archives,probe cases mxref) -lcyaml -lyaml -ljansson -lm
USES_oracle  := $(call archives,oracle probe kernels cases mxref) $(USES_codeobject) -lmpfr -lgmp -lcyaml -lyaml -ldl -lm
USES_fuzz    := $(B)/libfuzz.a $(USES_oracle)
USES_bench   := $(USES_fuzz) -lopenblas
USES_ci      := $(B)/libci.a $(call archives,probe) $(USES_fuzz) -ljansson -lsqlite3

$(B)/lib%.a:
	@echo "  AR   $@"
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

define compile-step
$(B)/%.$(1).o: %.c
	@mkdir -p $$(@D)
	@echo "  CC   $$< for $(1)"
	$(Q)$$(CC) $$(CFLAGS) -march=x86-64-$(1) -DMX_STEP=_$(1) -c $$< -o $$@
endef
$(foreach s,$(STEPS),$(eval $(call compile-step,$s)))

$(B)/ci/cli/folders.o: CFLAGS += -DMX_SOURCE='"$(CURDIR)"'

# html.c, rtc.c and rtc_tool.c include files by .incbin.
$(B)/ci/reports/html.o: ci/reports/page.html
$(B)/ref/hip/rtc.o: $(wildcard ref/hip/rtc_*.hip)
$(B)/ref/hip/rtc_tool.o: ci/package/llvm.sh

# The commit, and llvm.sh as a C string, in a file that is rewritten when either changes.
$(B)/ci/cli/cmd_version.o: CFLAGS += -I$(B)
$(B)/ci/cli/cmd_version.o: $(B)/built.h
$(B)/built.h: FORCE
	@mkdir -p $(@D)
	@echo "#define MX_COMMIT \"$$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)\"" >$@.new
	@{ echo '#define MX_LLVM_SH \'; sed 's/[\\"]/\\&/g; s/.*/"&\\n" \\/' ci/package/llvm.sh; echo; } >>$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
FORCE:

$(B)/libmxhip.so: $(call objects,ref/hip) $(call archives,codeobject mxref) ref/hip/versions.map
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -shared -o $@ $(filter-out %.map,$^) -Wl,--version-script=ref/hip/versions.map,-z,nodelete,--no-undefined,--exclude-libs,ALL $(LDFLAGS) -lelf -lz -lzstd $(MSGPACK) -lm

# At a fixed address the tables of mxcheck, 25,000 pointers, need no relocation at each start. ASan
# needs its own address space.
NO_PIE := $(if $(SAN),,-no-pie)

# Libraries that few runs of mxcheck need; ci/package/late.c loads them at the first call.
LATE   := $(if $(X86),$(if $(SAN),,dw mpfr gmp jansson sqlite3))
$(B)/late.def: $(filter $(B)/%,$(USES_ci)) ci/package/late.sh
	$(Q)ci/package/late.sh '$(CC)' '$(LATE)' $(filter %.a,$^) >$@.new && mv $@.new $@
$(B)/ci/package/late.o: CFLAGS += -I$(B)
$(B)/ci/package/late.o: $(B)/late.def

# A room must not call a room above it: the linker reads each archive once, in order.
$(B)/mxcheck: $(if $(LATE),$(B)/ci/package/late.o) $(filter $(B)/%,$(USES_ci))
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) $(NO_PIE) -o $@ $(filter %/late.o,$^) $(filter-out $(LATE:%=-l%),$(USES_ci)) -Wl,--undefined=main $(LDFLAGS)

# ---- kernels ----
# The folder from ci/package/llvm.sh, or its error message. The script runs once, at the first use.
LLVM_FOUND = $(eval LLVM_FOUND := $$(shell ci/package/llvm.sh 2>&1))$(LLVM_FOUND)
LLVM      = $(or $(wildcard $(LLVM_FOUND)),$(error $(LLVM_FOUND)))
KERNELS  := $(patsubst %,$(B)/%.co,$(basename $(sort $(filter-out kernels/host/%,$(wildcard kernels/*/*.[cS])))))
# Kernels in files gfx1250*.c are for gfx1250, all others for gfx950.
MCPU      = $(if $(filter gfx1250%,$(notdir $<)),gfx1250,gfx950)
GPUFLAGS  = -x c -std=gnu11 --target=amdgcn-amd-amdhsa -mcpu=$(MCPU) -nogpulib -ffreestanding -O2 -Wall -Wextra -MMD -MP
FOREIGN  := $(patsubst cases/%,$(B)/kernels/%.co,$(basename $(sort $(wildcard $(addprefix cases/foreign/*.,s cl c)))))
SFLAGS    = --target=amdgcn-amd-amdhsa -mcpu=$(MCPU) -MMD -MP
CLFLAGS  := -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -mcpu=gfx950 -nogpulib -O2 -MMD -MP
kernels: $(KERNELS) $(FOREIGN)
define link-co
	$(Q)$(LLVM)/ld.lld -shared $(@:.co=.elf) -o $@.new
	$(Q)ci/package/kernel-report.sh $(LLVM) $@.new && mv $@.new $@
endef
define compile-co
	@mkdir -p $(@D)
	@echo "  GPU  $<"
	$(Q)$(LLVM)/clang $(1) -MF $(@:.co=.d) -MT $@ -c $< -o $(@:.co=.elf)
	$(link-co)
endef
$(B)/%.co: %.c
	$(call compile-co,$(GPUFLAGS))
$(B)/%.co: %.S
	$(call compile-co,$(SFLAGS))
$(B)/kernels/foreign/%.co: cases/foreign/%.c
	$(call compile-co,$(GPUFLAGS))
$(B)/kernels/foreign/%.co: cases/foreign/%.cl
	$(call compile-co,$(CLFLAGS))
$(B)/kernels/foreign/%.co: cases/foreign/%.s
	@mkdir -p $(@D)
	@echo "  GPU  $<"
	$(Q)$(LLVM)/llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=$(MCPU) -filetype=obj $< -o $(@:.co=.elf)
	$(link-co)
kernel-report: all
	@perl kernels/report.pl $(B) $(LLVM)

# ---- each room of the emulator links with the rooms below it ----
LINKS    := $(patsubst %,$(B)/rooms/%.so,$(ISA))
BELOW    := ref/num ref/mma
$(foreach r,$(ISA),$(eval BELOW += ref/isa/$r)$(eval $(B)/rooms/$r.so: $(call objects,$(BELOW))))
$(LINKS):
	@mkdir -p $(@D)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -shared -Wl,--no-undefined -o $@ $^ $(LDFLAGS) -lm
tests: $(LINKS)

# ---- tests: tests/ROOM/*_test.c link USES_ROOM; *.t are scripts; *.gpu.c are kernels ----
TESTS    := $(patsubst %.c,$(B)/%.t,$(sort $(wildcard tests/*/*_test.c)))
tests: $(TESTS) $(patsubst %.c,$(B)/%.co,$(wildcard tests/*/*.gpu.c)) $(B)/tests/diff/runner all
$(foreach r,$(notdir $(wildcard tests/*)),$(eval NEEDS_$r := $(filter $(B)/%,$(USES_$r))))
.PRECIOUS: $(B)/%.o
.SECONDEXPANSION:
$(B)/tests/%.t: $(B)/tests/%.o $$(NEEDS_$$(firstword $$(subst /, ,$$*)))
	@echo "  TEST $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $< $(USES_$(firstword $(subst /, ,$*))) $(LDFLAGS) -Wl,--as-needed -lmpfr -lgmp -Wl,-rpath,'$$ORIGIN/../..'

# ---- fuzz targets of the runtime and of the command line. Here they read files; `make
# fuzz-targets` builds libFuzzer programs ----
TARGETS   = $(OF_HIP) $(OF_CI)
OF_HIP   := $(patsubst %,$(B)/fuzz/targets/%,codeobject execute instruction metadata)
OF_CI    := $(patsubst %,$(B)/fuzz/targets/%,case commands journal npy text)
DRIVER    = $(B)/fuzz/targets/replay.o
tests: $(TARGETS)
$(OF_HIP): LIBS = $(call archives,mxref) $(USES_codeobject) -lm
$(OF_HIP): $(call objects,ref/hip) $(call archives,codeobject mxref)
$(OF_CI): LIBS = $(filter-out %/libci.a,$(USES_ci))
$(OF_CI): $(filter-out %/mxcheck.o,$(call objects,$(SRC_ci))) $(filter-out %/libci.a,$(filter $(B)/%,$(USES_ci)))
$(TARGETS): %: %.o $(DRIVER)
	@echo "  FUZZ $@"
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(LIBS) $(LDFLAGS)
fuzz-targets:
	@$(MAKE) --no-print-directory B=$(B)/libfuzzer CC=$(LLVM)/clang OPT='-O1 $(BASE)' DRIVER= LDFLAGS=-fsanitize=fuzzer \
		SAN='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined' $(TARGETS:$(B)/%=$(B)/libfuzzer/%)
.PHONY: fuzz-targets

$(B)/tests/diff/runner: tests/diff/runner.c $(USES_hip)
	@mkdir -p $(@D)
	@echo "  TEST $<"
	$(Q)$(CC) $(CFLAGS) -MT $@ -o $@ $< -L$(B) -l:libmxhip.so $(LDFLAGS) -Wl,-rpath,'$$ORIGIN/../..'

setup:
	@ci/package/setup.sh
# The README's commands use all processors, unless the command line has its own -j.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
run: setup
	@$(MAKE) --no-print-directory $(JOBS) all
	@$(B)/mxcheck

# ---- tiers: minutes, tens of minutes, hours. The longer ones change the seeds of data and schedules
# each day. The tests run last: their harness ends with the list of skipped tests and reasons ----
# The longest first and scripts before programs, so that all jobs end together. One more than there are
# processors, because some wait.
LONGEST   = $(B)/tests/probe/infer_test.t $(patsubst %,tests/%.t,ci/cli ci/twins ci/fuzz ci/probe ci/profile ci/choices ci/lint ci/gfx1250 isa/disasm \
            isa/corpus diff/diff kernels/binary ci/install ci/terminal ci/replay)
PROVE     = BUILD=$(B) SEED=$(SEED) SAN='$(SAN)' LLVM_FOUND='$(wildcard $(LLVM_FOUND))' PERL5LIB=tests/lib \
            prove --harness Skips -j$(shell expr $$(nproc) + 1) \
            $(LONGEST) $(filter-out $(LONGEST),$(sort $(wildcard tests/*/*.t)) $(TESTS))
SEED     ?= $(shell date +%Y%j)
# The runs tagged race: one or more of every kernel.
RACES     = $$($(B)/mxcheck --list | awk '$$2 == "race" || $$3 == "race" { print $$1 }')
check: setup
	@$(MAKE) --no-print-directory $(JOBS) tests
	@$(PROVE)
check-long:
	@ci/package/setup.sh long
	@$(MAKE) --no-print-directory $(JOBS) tests
	@$(B)/mxcheck --baseline cases/accuracy.baseline
	@$(B)/mxcheck --seed $(SEED) '*'
	@$(B)/mxcheck --seed $(SEED) --race 10000 '*/64x64x256/*' '*/64x64x512/*' '*/128x128x1024/*'
	@$(B)/mxcheck --seed $(SEED) --race 500 $(RACES)
	@MXCHECK_LONG=1 $(PROVE)
check-nightly: check-long
	@BUILD=$(B) perl tests/mutants/mutants.pl --seed $(SEED) --count 200
	@$(B)/mxcheck --seed $(SEED) --race 10000 --json $(B)/schedules.jsonl $(RACES)
	@perl kernels/schedules.pl $(B) $(B)/schedules.jsonl
	@perl kernels/mutants.pl $(B)
	@$(B)/mxcheck --seed $(SEED) --race 50000 '*/64x64x256/*' '*/64x64x512/*' '*/128x128x1024/*'
	@MXCHECK_NIGHTLY=1 $(PROVE)
check-hw: setup
	@$(MAKE) --no-print-directory $(JOBS) all
	@ci/package/check-hw.sh $(B)

# ---- benches: CSV lines `name,unit,median,spread` ----
BENCHES  := $(patsubst %.c,$(B)/%.t,$(sort $(wildcard tests/bench/*_bench.c)))
tests: $(BENCHES) # so that they build
bench: $(BENCHES) $(B)/libmxhip.so kernels
	@for b in $(BENCHES); do BUILD=$(B) $$b || exit; done

# ---- crosscheck: numpy, ml_dtypes, fractions, the packages of recipes, kernels by other compilers, and published ones. It needs PyPI; `make check` does not ----
$(B)/venv/ready: tests/crosscheck/requirements.txt
	python3 -m venv $(@D) && $(@D)/bin/pip install -q -r $< && touch $@
# One by one: a package that cannot be installed is skipped and counted.
$(B)/venv/packages: tests/crosscheck/packages.txt $(B)/venv/ready
	@grep -v '^#' $< | while read -r p; do $(@D)/bin/pip install -q $$p || echo "# pip cannot install $$p"; done; touch $@
# Beside the IREE of the other packages, because it needs its own.
$(B)/venv/wave: $(B)/venv/packages
	@$(B)/venv/bin/pip install -q --no-deps --upgrade --target $@ wave-lang==3.9.1 iree-base-compiler==3.9.0 iree-base-runtime==3.9.0 || echo "# pip cannot install wave-lang"
	@mkdir -p $@ && touch $@
# Apart, because Quark imports it where it is installed, which fails without ROCm.
AITER := $(B)/venv/aiter
$(AITER): $(B)/venv/packages
	@$(B)/venv/bin/pip install -q --no-deps --upgrade --target $@ amd-aiter==0.1.7.post2.dev18 einops || echo "# pip cannot install amd-aiter"
	@mkdir -p $@ && touch $@
crosscheck: all $(B)/venv/ready $(B)/venv/packages $(B)/venv/wave $(AITER)
	@$(B)/venv/bin/python tests/crosscheck/crosscheck.py $(B)/mxcheck
	@$(B)/venv/bin/python tests/crosscheck/recipes.py $(B)/mxcheck
	@$(B)/venv/bin/python tests/crosscheck/schemes.py $(B)/mxcheck
	@$(B)/venv/bin/python -W ignore tests/crosscheck/emulated.py $(B)
	@$(B)/venv/bin/python tests/crosscheck/products.py $(B)/mxcheck
	@$(B)/venv/bin/python -W ignore tests/crosscheck/triton_mxfp4.py $(B)/venv
	@$(B)/mxcheck run --case $(B)/venv/triton_mxfp4.yaml --race 200
	@$(B)/venv/bin/python -W ignore tests/crosscheck/triton_kernels.py $(B)/venv
	@mkdir -p $(B)/venv/gfx1250
	@$(B)/venv/bin/python -W ignore tests/crosscheck/triton_mxfp4.py $(B)/venv/gfx1250 gfx1250
	@$(B)/venv/bin/python -W ignore tests/crosscheck/triton_kernels.py $(B)/venv/gfx1250 gfx1250
	@$(B)/venv/bin/python -W ignore tests/crosscheck/triton_gluon.py $(B)/venv/gfx1250
	@for kernel in "fp8 0" "fp4 0" "a8w4 0" "fp8 2" "fp4 3" "a8w4 4"; do $(B)/venv/bin/python -W ignore tests/crosscheck/flydsl_wmma.py $(B)/venv/gfx1250 $(LLVM) $$kernel || exit; done
	@$(B)/venv/bin/python -W ignore tests/crosscheck/flydsl_gemm.py $(B) $(LLVM) "$(MXCHECK_FLYDSL)"
	@env -u CC $(B)/venv/bin/python -W ignore tests/crosscheck/triton_launch.py $(B)
	@$(B)/venv/bin/python tests/crosscheck/device_calls.py $(B) $(LLVM)
	@$(B)/venv/bin/python tests/crosscheck/iree_kernels.py $(B)/venv
	@$(B)/venv/bin/python tests/crosscheck/iree_kernels.py $(B)/venv/gfx1250 gfx1250
	@for case in $(B)/venv/gfx1250/*.yaml; do $(B)/mxcheck run --device emu:gfx1250 --case $$case --race 50 || exit; done
	@PYTHONPATH=$(AITER) $(B)/venv/bin/python tests/crosscheck/programs.py $(B)
	@$(B)/venv/bin/python tests/crosscheck/hip_tests.py $(B) $(LLVM) "$(MXCHECK_HIP_TESTS)" "$(MXCHECK_ROCM_EXAMPLES)"
	@$(B)/venv/bin/python tests/crosscheck/hip_ocp.py $(B) $(LLVM)
	@$(B)/venv/bin/python tests/crosscheck/bitsandbytes_nf4.py $(B)
	@$(B)/venv/bin/python tests/crosscheck/cupy_raw.py $(B)
	@$(B)/venv/bin/python tests/crosscheck/tinygrad_hip.py $(B) $(LLVM)
	@PYTHONPATH=$(AITER) $(B)/venv/bin/python tests/crosscheck/aiter_gemm.py $(B)
	@PYTHONPATH=$(B)/venv/wave $(B)/venv/bin/python -W ignore tests/crosscheck/wave_kernels.py $(B)/venv
	@$(B)/venv/bin/python -W ignore tests/crosscheck/flydsl_kernels.py $(B)/venv $(LLVM)
	@$(B)/venv/bin/python tests/crosscheck/production.py $(B)/mxcheck $(or $(MXCHECK_AITER),../shared/foreign/co):$(AITER)/aiter_meta/hsa/gfx950 $(B)/production $(wildcard ../shared/foreign/seeds/*.yaml) $(B)/venv/*_*.yaml
.PHONY: crosscheck

clean:
	rm -rf $(B)

include ci/package/install.mk
# Goals that build nothing themselves need no dependencies, which take half a second to read.
ifneq ($(filter-out setup run check check-long check-nightly check-hw uninstall clean,$(or $(MAKECMDGOALS),all)),)
-include $(shell test -d $(B) && find $(B) -name '*.d')
endif
