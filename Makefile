# The project's whole vocabulary. Every target installs what it needs first (tools/setup.sh).

PRESET ?= dev

.PHONY: setup build test

setup:
	@tools/setup.sh

build: setup
	@cmake --preset $(PRESET) >/dev/null
	@cmake --build --preset $(PRESET)

test: build
	@ctest --test-dir build/$(PRESET) --output-on-failure -j2
