# The front door. Needs Rust (cargo), a C compiler (cc) and make.
#
#   make            libraries and program: build/lib/libhurray.so, build/lib/libhurray.a, build/bin/hrry
#   make lib        the libraries alone
#   make man        manual pages and completions of hrry: build/man, build/completions
#   make install    puts header, libraries and program into PREFIX=/usr/local (BINDIR, LIBDIR,
#                   INCLUDEDIR, MANDIR and DATADIR are below it unless you say so). DESTDIR=/tmp/package
#                   is put before them all. LINKAGE=static makes CMake's hurray::hurray the static
#                   library. Builds only what `make` has not: it needs no cargo after `make`.
#                   install-strip: without symbols. install-library: header, libraries, pkg-config
#                   file and licences alone; install-extras: the rest.
#   make uninstall  takes it away again; say the same folders as for install
#   make demo       converts a model, opens it from C, compares every byte [MODEL=path.safetensors]
#   make test       everything that is tested; ends with the counts
#   make size       what libhurray.so costs those who load it
#   make bench      how fast it is
#   make header     writes include/hurray.h, tests/symbols.txt and tests/abi.txt anew from src/ffi/
#   make clean      removes what was built

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
# The one place where the version stands.
VERSION := $(shell sed -n '/^\[workspace.package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
ABI := $(firstword $(subst ., ,$(VERSION)))
LIB := build/lib
SOURCES := Cargo.toml Cargo.lock build.rs $(shell find src -name '*.rs')

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DESTDIR ?=
LINKAGE ?= shared
INSTALL = VERSION='$(VERSION)' PREFIX='$(PREFIX)' BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' \
	INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' MANDIR='$(MANDIR)' DESTDIR='$(DESTDIR)' \
	LINKAGE='$(LINKAGE)' sh scripts/install.sh

.PHONY: all lib program man install install-strip install-library install-extras uninstall
.PHONY: demo test size bench header clean

all: lib program
	@$(MAKE) --no-print-directory man

# One crate type at a time: asked for several, cargo leaves link-time optimisation out. In a folder
# of their own: other builds of the workspace would put libraries of the same names in their place.
# What the static library needs besides is rustc's to say.
lib:
	$(CARGO) rustc --release --lib --crate-type cdylib --target-dir $(TARGET)/artefacts
	$(CARGO) rustc --release --lib --crate-type staticlib --target-dir $(TARGET)/artefacts -- \
		--print native-static-libs=$(abspath $(TARGET))/artefacts/native-static-libs
	@mkdir -p $(LIB)
	@install -m 755 $(TARGET)/artefacts/release/libhurray.so $(LIB)/libhurray.so.$(VERSION)
	@install -m 644 $(TARGET)/artefacts/release/libhurray.a $(LIB)/libhurray.a
	@install -m 644 $(TARGET)/artefacts/native-static-libs build/native-static-libs
	@ln -sf libhurray.so.$(VERSION) $(LIB)/libhurray.so.$(ABI)
	@ln -sf libhurray.so.$(ABI) $(LIB)/libhurray.so
	@echo "$(LIB)/libhurray.so   link with: -Iinclude -L$(LIB) -lhurray -Wl,-rpath,$(CURDIR)/$(LIB)"
	@echo "$(LIB)/libhurray.a    link with: -Iinclude $(LIB)/libhurray.a $$(cat build/native-static-libs)"

program:
	$(CARGO) build --release --package hurray-cli
	@mkdir -p build/bin
	@install -m 755 $(TARGET)/release/hrry build/bin/hrry
	@echo "build/bin/hrry"

# From the program itself, whose options they are about.
man: build/bin/hrry
	@rm -rf build/man build/completions
	@build/bin/hrry generate build
	@echo "build/man build/completions"

build/man/hrry.1: build/bin/hrry
	@$(MAKE) --no-print-directory man

$(LIB)/libhurray.a: $(SOURCES)
	@$(MAKE) --no-print-directory lib

build/bin/hrry: $(SOURCES) $(shell find cli/src -name '*.rs') cli/Cargo.toml
	@$(MAKE) --no-print-directory program

install: install-library install-extras

install-strip:
	@STRIP=strip $(MAKE) --no-print-directory install

install-library: $(LIB)/libhurray.a
	@$(INSTALL) library

install-extras: $(LIB)/libhurray.a build/bin/hrry build/man/hrry.1
	@$(INSTALL) extras

uninstall:
	@$(INSTALL) uninstall

demo: lib program
	@sh scripts/demo.sh '$(MODEL)'

test:
	@sh scripts/test.sh

size: $(LIB)/libhurray.a
	@sh tests/install/size.sh

bench:
	$(CARGO) bench

header:
	HURRAY_BLESS=1 $(CARGO) test --test header --test library committed
	HURRAY_BLESS=1 $(CARGO) test --test abi committed

clean:
	$(CARGO) clean
	rm -rf build
