# SPDX-License-Identifier: MIT
#
# The warnings that all C code here compiles without, host and firmware.

option(MCUPROF_WERROR "Treat warnings as errors" OFF)

add_library(mcuprof_warnings INTERFACE)
target_compile_options(mcuprof_warnings INTERFACE
  -Wall
  -Wextra
  -Wshadow
  -Wconversion
  -Wundef
  -Wcast-qual
  -Wcast-align
  -Wstrict-prototypes
  -Wmissing-prototypes
  -Wvla
  -Wdouble-promotion
  -Wnull-dereference
  -Wpointer-arith
  -Wwrite-strings
  $<$<BOOL:${MCUPROF_WERROR}>:-Werror>)
