# The front door. Needs Rust (cargo), a C compiler (cc) and make.
#
#   make           the libraries: build/lib/libhurray.so and build/lib/libhurray.a
#   make demo      converts a model, opens it from C, compares every byte [MODEL=path.safetensors]
#   make test      everything that is tested; ends with the counts
#   make bench     how fast it is
#   make header    writes include/hurray.h and tests/symbols.txt anew from src/ffi/
#   make clean     removes what was built

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
VERSION := $(shell sed -n '/^\[package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
ABI := $(shell sed -n 's/^\#define HRRY_ABI_VERSION //p' include/hurray.h)
LIB := build/lib

.PHONY: lib demo test bench header clean

# One crate type at a time: asked for several, cargo leaves link-time optimisation out. In a folder
# of their own: other builds of the workspace would put libraries of the same names in their place.
lib:
	$(CARGO) rustc --release --lib --crate-type cdylib --target-dir $(TARGET)/artefacts
	$(CARGO) rustc --release --lib --crate-type staticlib --target-dir $(TARGET)/artefacts
	@mkdir -p $(LIB)
	@install -m 755 $(TARGET)/artefacts/release/libhurray.so $(LIB)/libhurray.so.$(VERSION)
	@install -m 644 $(TARGET)/artefacts/release/libhurray.a $(LIB)/libhurray.a
	@ln -sf libhurray.so.$(VERSION) $(LIB)/libhurray.so.$(ABI)
	@ln -sf libhurray.so.$(ABI) $(LIB)/libhurray.so
	@echo "$(LIB)/libhurray.so   link with: -Iinclude -L$(LIB) -lhurray -Wl,-rpath,$(CURDIR)/$(LIB)"
	@echo "$(LIB)/libhurray.a    link with: -Iinclude $(LIB)/libhurray.a $$(sh scripts/static-libs.sh)"

demo: lib
	@$(CARGO) build --release --package hurray-cli
	@sh scripts/demo.sh '$(MODEL)'

test:
	@sh scripts/test.sh

bench:
	$(CARGO) bench

header:
	HURRAY_BLESS=1 $(CARGO) test --test header --test library committed

clean:
	$(CARGO) clean
	rm -rf build
