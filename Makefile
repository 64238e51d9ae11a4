# The project's whole vocabulary. Each target first installs what it needs (tools/setup.sh).

PRESET ?= dev
PREFIX ?= /usr/local
BENCH ?=
PEERS ?= --members 8 --applies 80
FUZZ_RUNS ?= 1000000
# The most for each target; none if it is empty.
FUZZ_SECONDS ?=
# The processor that packages are for, as Debian calls it: this one's, or arm64.
ARCH ?=
# Steps done, all steps, seconds since the start.
export NINJA_STATUS = [%f of %t, %e s] 
THIS_MACHINE := $(shell uname -m)
THIS_ARCH := $(patsubst aarch64,arm64,$(patsubst x86_64,amd64,$(THIS_MACHINE)))
# Empty for this machine's own processor.
CROSS = $(filter-out $(THIS_ARCH),$(ARCH))
MACHINE = $(if $(CROSS),$(patsubst arm64,aarch64,$(CROSS)),$(THIS_MACHINE))
BUILD = cmake --preset $(1) >/dev/null && cmake --build --preset $(1)

.PHONY: setup build quickstart test test-peers bench -profile profile asan tsan fuzz format tidy install package image rpm release dist site wheel vscode

setup:
	@tools/setup.sh build tests check clang

build:
	@tools/setup.sh build tests
	@$(call BUILD,$(PRESET))

quickstart:
	@echo "Builds kinu and test providers, which takes about 15 minutes of one processor the first time."
	@tools/setup.sh build tests
	@$(call BUILD,dev) --target kinu kinu_test_providers
	@tools/quickstart.sh build/dev

test:
	@tools/setup.sh build tests check
	@$(call BUILD,$(PRESET))
	@tests/run.py build/$(PRESET)

# The life of states in every real service that can be had here (tests/peers.py).
test-peers:
	@tools/setup.sh build tests peers
	@$(call BUILD,$(PRESET)) --target kinu
	@tests/services/build.sh build/services $(SERVICES)
	@tests/e2e/backends.py --binary build/$(PRESET)/src/cli/tofu $(PEERS)

# `make bench -- -profile` writes docs/performance.md instead.
bench:
	@tools/setup.sh build
	@$(call BUILD,release) --target kinu kinu_measure kinu_parse_bench kinu_functions_bench kinu_json_bench
	@$(if $(filter -profile,$(MAKECMDGOALS)),bench/profile.py --build build/release,bench/run.py --build build/release $(BENCH))
	@$(if $(BENCH)$(filter -profile,$(MAKECMDGOALS)),:,bench/lsp.py --short)

-profile:
	@:

# Records how often code runs and what short commands run, for the next release build
# (docs/decisions/0056-recorded-profile.md, 0058-code-of-short-commands.md).
profile:
	@tools/setup.sh build profile
	@$(call BUILD,recording) --target kinu
	@rm -rf build/profile
	@tools/profile.py build/recording/src/cli/kinu
	@tools/short_commands.py build/recording/src/cli/kinu > build/profile/short_commands.txt

asan:
	@tools/setup.sh build tests
	@$(call BUILD,asan) --target unit_tests
	@ctest --test-dir build/asan --output-on-failure -j2 -L unit -LE slow

tsan:
	@tools/setup.sh build tests clang
	@$(call BUILD,tsan) --target threaded_tests
	@ctest --test-dir build/tsan --output-on-failure -j2 -L threaded

# ARCH=arm64: without libFuzzer, which GCC lacks, so a corpus of build/fuzz is worth copying (docs/release.md).
fuzz:
	@tools/setup.sh build clang $(CROSS)
	@$(if $(CROSS),tools/sysroot.sh $(CROSS) build/sysroot-$(CROSS) && cmake --preset $(CROSS) -DKINU_FUZZ=ON >/dev/null)
	@$(if $(CROSS),cmake --build --preset $(CROSS),$(call BUILD,fuzz)) --target fuzz
	@$(if $(CROSS),tools/emulated.sh $(CROSS)) tools/fuzz.sh build/$(or $(CROSS),fuzz) $(FUZZ_RUNS) $(FUZZ_SECONDS)

format:
	@tools/setup.sh check
	@tools/format.sh

tidy:
	@tools/setup.sh build clang
	@cmake --preset tidy >/dev/null
	@tools/tidy.py build/tidy

install:
	@tools/setup.sh build
	@$(call BUILD,release) --target installable
	@cmake --install build/release --strip --prefix $(PREFIX)

# Debian packages, and an archive whose program needs nothing but glibc. ARCH=arm64: cross-compiled for that processor,
# and the wheel as well.
package:
	@tools/setup.sh build package $(CROSS)
	@$(if $(CROSS),tools/sysroot.sh $(CROSS) build/sysroot-$(CROSS))
	@$(call BUILD,$(or $(CROSS),release)) --target installable
	@tools/packages.sh build/$(or $(CROSS),release) build/package
	@tools/tarball.sh build/$(or $(CROSS),release) build/package
	@$(if $(CROSS),tools/setup.sh build wheel && \
	  tools/wheel.sh build/wheel-$(CROSS) build/package/kinu-*-linux-$(MACHINE).tar.xz $(CROSS) && \
	  cp build/wheel-$(CROSS)/wheels/*.whl build/package)
	@ls build/package

# Container images of that archive, as OCI layouts in files: a plain one, and one with git and ssh.
image: package
	@$(if $(CROSS),export KINU_SYSROOT=build/sysroot-$(CROSS);) for variant in "" --git; do \
	  tools/image.py build/package/kinu-*-linux-$(MACHINE).tar.xz build/package $$variant || exit 1; \
	done

# An .rpm of that archive.
rpm: package
	@tools/setup.sh rpm
	@tools/rpm.sh build/package/kinu-*-linux-$(MACHINE).tar.xz build/package

# All files of a release, signed by KINU_RELEASE_KEY; each step of docs/release.md that a machine can check is checked.
release:
	@tools/release.sh "$(VERSION)"

# The sources of the last commit.
dist:
	@tools/dist.sh build/dist

# The documentation as HTML, in build/site/html.
site:
	@tools/setup.sh site
	@tools/site.py

# The Python package with the program, in build/wheel/wheels (or build/wheel-ARCH/wheels, which make package has made).
wheel: package
	@$(if $(CROSS),:,tools/setup.sh build wheel && tools/wheel.sh build/wheel build/package/kinu-*-linux-$(MACHINE).tar.xz)

# The extension for VS Code, build/vscode/kinu-VERSION.vsix.
vscode:
	@tools/setup.sh extension
	@tools/vscode.sh build/vscode
