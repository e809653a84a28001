CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
ABI := $(shell sed -n 's/^\#define HRRY_ABI_VERSION //p' include/hurray.h)

.PHONY: lib header

# One crate type at a time: asked for several, cargo leaves link-time optimisation out. Programs
# look for the library under its soname.
lib:
	$(CARGO) rustc --release --lib --crate-type cdylib
	$(CARGO) rustc --release --lib --crate-type staticlib
	ln -sf libhurray.so $(TARGET)/release/libhurray.so.$(ABI)

# Writes include/hurray.h and tests/symbols.txt anew from src/ffi/.
header:
	HURRAY_BLESS=1 $(CARGO) test --test header --test library committed
