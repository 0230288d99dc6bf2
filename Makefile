# SPDX-License-Identifier: MIT
#
# The front door. CMake does the building (CMakePresets.json), the scripts in
# tools/ the rest; both can be used without make.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

.PHONY: help demo calls functions crash boot hang pin coremark test test-full fuzz bench lint \
	format amalgamation install clean deps
.NOTPARALLEL:

help:
	@echo 'make demo          profile emulated firmware, from source to report'
	@echo 'make calls         the calls of the same, recorded by the call ring'
	@echo 'make functions     calls, self and total of each of its functions'
	@echo 'make crash, make boot, make hang, make pin'
	@echo '                   what the call ring tells of them (docs/tracing.md)'
	@echo 'make coremark      what sampling and tracing cost a benchmark'
	@echo 'make test          build everything, run the tests (minutes)'
	@echo 'make test-full     the long tests'
	@echo 'make fuzz          damaged firmware, MCUPROF_FUZZ=N rounds (minutes)'
	@echo 'make bench         measure; tables, and build/bench.json'
	@echo 'make lint          all static checks'
	@echo 'make format        clang-format in place'
	@echo 'make amalgamation  the target library as one mcuprof.c and mcuprof.h'
	@echo 'make install       into PREFIX ($(PREFIX)), below DESTDIR if set'
	@echo 'make clean         remove build/'

deps:
	@[ -n "$(MCUPROF_SKIP_DEPS)" ] || tools/install-deps.sh

demo: deps
	@tools/build.sh host:mcuprof fw:demo
	@examples/demo/run.sh

calls: deps
	@tools/build.sh host:mcuprof fw:demo-traced
	@examples/demo/calls.sh

functions: deps
	@tools/build.sh host:mcuprof fw:demo-functions
	@examples/demo/functions.sh

crash boot hang pin: deps
	@tools/build.sh host:mcuprof fw:$@
	@examples/$@/run.sh

# With COREMARK_DIR, a copy of EEMBC's CoreMark, it is that.
coremark: deps
	@tools/build.sh host:mcuprof fw:coremark
	@examples/coremark/run.sh $(COREMARK_DIR)

test: deps
	@tools/build.sh host:mcuprof host:truth asan-gcc fw fw:bench-budget
	@tools/run-tests.sh fast

test-full: deps
	@tools/build.sh host asan-gcc asan-clang fw
	@tools/run-tests.sh full

fuzz: deps
	@tools/build.sh asan-gcc
	@export MCUPROF_FUZZ=$${MCUPROF_FUZZ:-10000}; \
		for test in build/asan-gcc/tests/unit/test_*_damage; do $$test || exit; done

# With COREMARK_DIR what selecting hooks comes to there is measured as well.
bench: deps
	@tools/build.sh host fw fw:bench-trace
	@bench/run.sh

lint: deps
	@cmake --preset host >/dev/null
	@cmake --preset fw >/dev/null
	@tools/lint.sh

format: deps
	@git ls-files -z --cached --others --exclude-standard '*.c' '*.h' | \
		xargs -0 -r clang-format -i

amalgamation:
	@tools/amalgamate.py build/amalgamation
	@ls build/amalgamation/*

install: deps
	@tools/build.sh host:mcuprof
	@cmake --install build/host --prefix '$(PREFIX)'

clean:
	rm -rf build
