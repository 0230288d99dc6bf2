# SPDX-License-Identifier: MIT
#
# mcuprof_add_firmware(NAME
#   BOARD board          tests/firmware/boards/<board>.cmake
#   SOURCES file...
#   [TRACED file...]     sources, too, compiled with -finstrument-functions
#   [OPT level]          -O2 unless given
#   [TRANSPORTS name...] target/transport/mcuprof_<name>.c
#   [DEFINES name=value...]  those of MCUPROF_ for the library, too
#   [INCLUDES directory...]
#   [OPTIONS flag...])   for all of it
#
# builds NAME.elf: the sources, the board's, and the target library for
# Cortex-M; and one-file/.../NAME.elf, the same with the library joined into
# one mcuprof.c. The latter is part of the target `one-file`, and of `all` where
# the name matches MCUPROF_ONE_FILE. What several images have in common is
# compiled once. The board file sets
#
#   BOARD_CPU            flags that choose core and ABI, e.g. -mcpu=cortex-m3
#   BOARD_MEMORY         FLASH, FLASH_SIZE, RAM, RAM_SIZE=... for image.ld
#   BOARD_DRIVERS        its sources beside startup.c and board_common.c
#   BOARD_DEFINES

set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Firmware that the fast tests run from one file, too.
set(MCUPROF_ONE_FILE
  "^(attach|demo$|demo-long-O2|frames|hotspots-|ram$|ram-|rtt-echo|rtt-sampler)")

set(MCUPROF_BOARDS ${PROJECT_SOURCE_DIR}/tests/firmware/boards)

file(GLOB mcuprof_target_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/target/*.c
  ${PROJECT_SOURCE_DIR}/target/port/cortexm/*.c)

set(mcuprof_amalgamation ${PROJECT_BINARY_DIR}/amalgamation)
file(GLOB_RECURSE mcuprof_amalgamated CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/target/*.[ch])
add_custom_command(
  OUTPUT ${mcuprof_amalgamation}/mcuprof.c ${mcuprof_amalgamation}/mcuprof.h
  COMMAND ${PROJECT_SOURCE_DIR}/tools/amalgamate.py ${mcuprof_amalgamation}
  DEPENDS ${mcuprof_amalgamated} ${PROJECT_SOURCE_DIR}/tools/amalgamate.py
  VERBATIM)
add_custom_target(amalgamation DEPENDS ${mcuprof_amalgamation}/mcuprof.c)
add_custom_target(one-file)

# The functions below see the variables of mcuprof_add_firmware().

# How each part of an image is compiled.
function(mcuprof_firmware_part part)
  # The paths in the debug information begin at /mcuprof, so that an image
  # is the same bytes wherever the project was cloned.
  target_compile_options(${part} PRIVATE ${BOARD_CPU} -mthumb ${arg_OPT} -g
    -ffunction-sections -fdata-sections
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/mcuprof ${arg_OPTIONS})
  target_link_libraries(${part} PRIVATE mcuprof_warnings)
endfunction()

set(mcuprof_target_includes ${PROJECT_SOURCE_DIR}/target
  ${PROJECT_SOURCE_DIR}/target/port/cortexm
  ${PROJECT_SOURCE_DIR}/target/transport)

# Sets OBJECTS to the objects of these sources: those of another image, if that
# wants them compiled in the same way.
function(mcuprof_shared_objects objects)
  cmake_parse_arguments(PARSE_ARGV 1 shared "" "" "SOURCES;INCLUDES;DEFINES")
  string(SHA1 hash "${shared_SOURCES}:${shared_DEFINES}:${BOARD_CPU}:${arg_OPT}\
:${arg_OPTIONS}")
  string(SUBSTRING ${hash} 0 12 hash)
  set(name shared-${hash})
  if(NOT TARGET ${name})
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${shared_SOURCES})
    target_include_directories(${name} PRIVATE ${shared_INCLUDES})
    target_compile_definitions(${name} PRIVATE ${shared_DEFINES})
    mcuprof_firmware_part(${name})
    add_dependencies(${name} amalgamation)
  endif()
  set(${objects} $<TARGET_OBJECTS:${name}> PARENT_SCOPE)
endfunction()

# One image: its own sources, the board's and the LIBRARY.
function(mcuprof_add_image image)
  cmake_parse_arguments(PARSE_ARGV 1 image "" "" "LIBRARY;INCLUDES;DEFINES")
  set(settings ${arg_DEFINES} ${image_DEFINES})
  list(FILTER settings INCLUDE REGEX "^MCUPROF_")
  mcuprof_shared_objects(library SOURCES ${image_LIBRARY}
    INCLUDES ${mcuprof_target_includes} DEFINES ${settings})
  mcuprof_shared_objects(board
    SOURCES ${BOARD_DRIVERS} ${MCUPROF_BOARDS}/startup.c
      ${MCUPROF_BOARDS}/board_common.c
    INCLUDES ${MCUPROF_BOARDS} DEFINES ${BOARD_DEFINES})

  add_executable(${image} ${arg_SOURCES})
  # Not as sources, which would put them in front of the image's own.
  target_link_libraries(${image} PRIVATE ${board} ${library})
  target_include_directories(${image} PRIVATE ${arg_INCLUDES}
    ${MCUPROF_BOARDS} ${image_INCLUDES} ${mcuprof_target_includes})
  target_compile_definitions(${image} PRIVATE ${BOARD_DEFINES} ${arg_DEFINES}
    ${image_DEFINES})
  mcuprof_firmware_part(${image})
  if(arg_TRACED)
    add_library(${image}-traced OBJECT EXCLUDE_FROM_ALL ${arg_TRACED})
    foreach(property IN ITEMS INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
      set_property(TARGET ${image}-traced PROPERTY ${property}
        $<TARGET_PROPERTY:${image},${property}>)
    endforeach()
    mcuprof_firmware_part(${image}-traced)
    target_compile_options(${image}-traced PRIVATE -finstrument-functions)
    add_dependencies(${image}-traced amalgamation)
    target_sources(${image} PRIVATE $<TARGET_OBJECTS:${image}-traced>)
  endif()
  target_link_options(${image} PRIVATE ${BOARD_CPU} -mthumb ${arg_OPT}
    -nostartfiles --specs=nano.specs --specs=nosys.specs
    -Wl,--gc-sections -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments
    ${BOARD_MEMORY} -T${linker_script})
  set_target_properties(${image} PROPERTIES
    LINK_DEPENDS ${linker_script})
endfunction()

function(mcuprof_add_firmware name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BOARD;OPT"
    "SOURCES;TRACED;TRANSPORTS;DEFINES;INCLUDES;OPTIONS")
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

  list(TRANSFORM arg_TRANSPORTS
    REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/target/transport/mcuprof_\\1.c"
    OUTPUT_VARIABLE transports)
  string(TOUPPER "${arg_TRANSPORTS}" switches)
  list(TRANSFORM switches REPLACE "(.+)" "MCUPROF_TRANSPORT_\\1=1")

  mcuprof_add_image(${name}
    LIBRARY ${mcuprof_target_sources} ${transports})
  mcuprof_add_image(${name}-one-file LIBRARY ${mcuprof_amalgamation}/mcuprof.c
    INCLUDES ${mcuprof_amalgamation} DEFINES ${switches})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_BINARY_DIR
    BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE folder)
  set_target_properties(${name}-one-file PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/one-file/${folder})
  add_dependencies(${name}-one-file amalgamation)
  add_dependencies(one-file ${name}-one-file)
  if(NOT name MATCHES "${MCUPROF_ONE_FILE}")
    set_target_properties(${name}-one-file PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
