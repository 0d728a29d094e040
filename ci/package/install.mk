# make install | uninstall    PREFIX=/usr/local DESTDIR=    ci/package/install.sh has the list

VERSION := $(shell awk '/define MXREF_VERSION_M|define MXREF_VERSION_P/ { v = v s $$3; s = "." } END { print v }' ref/mxref.h)
PREFIX  ?= /usr/local
DESTDIR ?=
SONAME  := libmxref.so.$(firstword $(subst ., ,$(VERSION)))
.PHONY: install uninstall
INSTALL_SH = ci/package/install.sh $(1) '$(B)' '$(DESTDIR)' '$(PREFIX)' $(VERSION)

# Exports only the functions with MXREF_API: the objects have hidden visibility.
$(B)/libmxref.so: $(call objects,ref/num ref/mma)
	@echo "  LD   $@"
	$(Q)$(CC) $(CFLAGS) -shared -Wl,-soname,$(SONAME) -o $@ $^ -Wl,--no-undefined $(LDFLAGS) -lm

install: all
	$(Q)$(call INSTALL_SH,install)
uninstall:
	$(Q)$(call INSTALL_SH,uninstall)
