# SPDX-License-Identifier: MIT
#
# mcuprof_add_firmware(NAME
#   BOARD board          tests/firmware/boards/<board>.cmake
#   SOURCES file...
#   [OPT level]          -O2 unless given
#   [CONFIG directory]   where the header named by MCUPROF_CONFIG_FILE lies
#   [TRANSPORTS name...] target/transport/mcuprof_<name>.c, or file
#   [DEFINES name=value...]
#   [INCLUDES directory...]
#   [OPTIONS flag...])   for the image's own sources and the library
#
# builds NAME.elf: the sources, the board's, and the target library for
# Cortex-M. The board file sets
#
#   BOARD_CPU            flags that choose core and ABI, e.g. -mcpu=cortex-m3
#   BOARD_MEMORY         FLASH, FLASH_SIZE, RAM, RAM_SIZE=... for image.ld
#   BOARD_DRIVERS        its sources beside startup.c and board_common.c
#   BOARD_DEFINES

set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(MCUPROF_BOARDS ${PROJECT_SOURCE_DIR}/tests/firmware/boards)

file(GLOB mcuprof_target_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/target/*.c
  ${PROJECT_SOURCE_DIR}/target/port/cortexm/*.c)

function(mcuprof_add_firmware name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BOARD;OPT;CONFIG"
    "SOURCES;TRANSPORTS;DEFINES;INCLUDES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_BOARD)
    message(FATAL_ERROR "mcuprof_add_firmware(${name}): "
      "BOARD missing or unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_OPT)
    set(arg_OPT -O2)
  endif()

  include(${MCUPROF_BOARDS}/${arg_BOARD}.cmake)
  set(linker_script ${MCUPROF_BOARDS}/image.ld)
  list(TRANSFORM BOARD_MEMORY PREPEND -Wl,--defsym=BOARD_)
  list(TRANSFORM BOARD_DRIVERS PREPEND ${MCUPROF_BOARDS}/)

  set(transports "")
  foreach(transport IN LISTS arg_TRANSPORTS)
    if(NOT transport MATCHES "\\.c$")
      set(transport
        ${PROJECT_SOURCE_DIR}/target/transport/mcuprof_${transport}.c)
    endif()
    list(APPEND transports ${transport})
  endforeach()

  add_executable(${name} ${arg_SOURCES} ${BOARD_DRIVERS}
    ${MCUPROF_BOARDS}/startup.c ${MCUPROF_BOARDS}/board_common.c
    ${mcuprof_target_sources} ${transports})
  target_include_directories(${name} PRIVATE
    ${arg_CONFIG}
    ${arg_INCLUDES}
    ${MCUPROF_BOARDS}
    ${PROJECT_SOURCE_DIR}/target
    ${PROJECT_SOURCE_DIR}/target/port/cortexm
    ${PROJECT_SOURCE_DIR}/target/transport)
  target_compile_definitions(${name} PRIVATE ${BOARD_DEFINES} ${arg_DEFINES})
  # The paths in the debug information begin at /mcuprof, so that an image
  # is the same bytes wherever the project was cloned.
  target_compile_options(${name} PRIVATE ${BOARD_CPU} -mthumb ${arg_OPT} -g
    -ffunction-sections -fdata-sections
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/mcuprof ${arg_OPTIONS})
  target_link_options(${name} PRIVATE ${BOARD_CPU} -mthumb ${arg_OPT}
    -nostartfiles --specs=nano.specs --specs=nosys.specs
    -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments
    ${BOARD_MEMORY} -T${linker_script})
  target_link_libraries(${name} PRIVATE mcuprof_warnings)
  set_target_properties(${name} PROPERTIES
    LINK_DEPENDS ${linker_script})
endfunction()
