# SPDX-License-Identifier: MIT
#
# The host library, the program, the target library on the host port, and the
# unit tests. Sources are found by glob.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(MCUPROF_SANITIZE "" CACHE STRING
  "Sanitizers to build with, as -fsanitize= takes them")
if(MCUPROF_SANITIZE)
  add_compile_options(-fsanitize=${MCUPROF_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MCUPROF_SANITIZE})
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # The checks that gcc inserts make it see null pointers on paths that
    # do not exist, and at -O1 it knows less of lengths; the plain build keeps
    # these warnings.
    target_compile_options(mcuprof_warnings INTERFACE
      -Wno-null-dereference -Wno-maybe-uninitialized -Wno-format-truncation)
  endif()
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(ELFUTILS REQUIRED IMPORTED_TARGET libelf libdw)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd)
find_library(IBERTY iberty REQUIRED) # has no .pc file
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)

set(root ${PROJECT_SOURCE_DIR})
set(posix_2008 _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)

file(GLOB library_sources CONFIGURE_DEPENDS ${root}/host/lib/*.c)
if(library_sources)
  add_library(mcuprof_host STATIC ${library_sources})
  target_include_directories(mcuprof_host PUBLIC ${root}/host/lib
    ${root}/target)
  target_compile_definitions(mcuprof_host PRIVATE ${posix_2008})
  target_link_libraries(mcuprof_host
    PUBLIC PkgConfig::ELFUTILS PkgConfig::JANSSON PkgConfig::ZLIB
      PkgConfig::LIBMD ${IBERTY} m
    PRIVATE mcuprof_warnings)
endif()

file(GLOB program_sources CONFIGURE_DEPENDS ${root}/host/cli/*.c)
if(program_sources AND TARGET mcuprof_host)
  add_executable(mcuprof ${program_sources})
  set_target_properties(mcuprof PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(mcuprof PRIVATE ${root}/host/cli)
  target_compile_definitions(mcuprof PRIVATE ${posix_2008}
    MCUPROF_PROGRAM_VERSION="${PROJECT_VERSION}")
  target_link_libraries(mcuprof PRIVATE mcuprof_host mcuprof_warnings)
endif()

file(GLOB target_sources CONFIGURE_DEPENDS
  ${root}/target/*.c ${root}/target/port/host/*.c
  ${root}/target/transport/*.c)
if(target_sources)
  add_library(mcuprof_target_host STATIC ${target_sources})
  set_target_properties(mcuprof_target_host PROPERTIES C_STANDARD 99)
  target_include_directories(mcuprof_target_host PUBLIC ${root}/target
    ${root}/target/port/host ${root}/target/transport)
  target_link_libraries(mcuprof_target_host PRIVATE mcuprof_warnings)
endif()

if(CMOCKA_FOUND)
  enable_testing()
  # For the tests on a modelled core.
  pkg_check_modules(UNICORN REQUIRED IMPORTED_TARGET unicorn)
  # The target library as one file, for tests that want it built otherwise.
  file(GLOB target_core CONFIGURE_DEPENDS
    ${root}/target/*.c ${root}/target/port/host/*.c)
  list(TRANSFORM target_core REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN target_core "" target_core)
  set(target_joined ${PROJECT_BINARY_DIR}/tests/unit/target_joined.c)
  file(CONFIGURE OUTPUT ${target_joined} CONTENT "${target_core}" @ONLY)

  function(add_unit_test name source)
    add_executable(${name} ${source})
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
    target_compile_definitions(${name} PRIVATE ${posix_2008}
      TEST_SOURCE_DIR="${root}/tests/unit")
    target_link_libraries(${name} PRIVATE PkgConfig::CMOCKA
      mcuprof_warnings m)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120)
  endfunction()

  file(GLOB unit_tests CONFIGURE_DEPENDS ${root}/tests/unit/test_*.c)
  foreach(source IN LISTS unit_tests)
    get_filename_component(name ${source} NAME_WE)
    # " * variant: NAME DEFINITION...": with a library that is built so.
    file(STRINGS ${source} variants REGEX "^ \\* variant: ")
    foreach(variant IN LISTS variants)
      string(REGEX REPLACE "^ \\* variant: " "" variant "${variant}")
      separate_arguments(definitions UNIX_COMMAND "${variant}")
      list(POP_FRONT definitions variant)
      add_unit_test(${name}_${variant} ${source})
      target_sources(${name}_${variant} PRIVATE ${target_joined})
      target_include_directories(${name}_${variant} PRIVATE ${root}/target
        ${root}/target/port/host)
      target_compile_definitions(${name}_${variant} PRIVATE ${definitions})
      if(TARGET mcuprof_host)
        target_link_libraries(${name}_${variant} PRIVATE mcuprof_host)
      endif()
    endforeach()
    if(variants)
      continue()
    endif()
    add_unit_test(${name} ${source})
    foreach(library IN ITEMS mcuprof_host mcuprof_target_host)
      if(TARGET ${library})
        target_link_libraries(${name} PRIVATE ${library})
      endif()
    endforeach()
    file(STRINGS ${source} modelled REGEX "^#include \"core_model.h\"")
    if(modelled)
      target_link_libraries(${name} PRIVATE PkgConfig::UNICORN)
      # What the model ran is shown to the program.
      target_compile_definitions(${name} PRIVATE
        TEST_PROGRAM="$<TARGET_FILE:mcuprof>")
      add_dependencies(${name} mcuprof)
    endif()
  endforeach()
endif()

foreach(directory IN ITEMS tests/truth)
  if(EXISTS ${root}/${directory}/CMakeLists.txt)
    add_subdirectory(${root}/${directory}
      ${PROJECT_BINARY_DIR}/${directory})
  endif()
endforeach()

include(GNUInstallDirs)
if(TARGET mcuprof)
  install(TARGETS mcuprof RUNTIME)
endif()
install(DIRECTORY ${root}/target
  DESTINATION ${CMAKE_INSTALL_DATADIR}/mcuprof
  FILES_MATCHING PATTERN "*.[ch]" PATTERN "*.gdb" PATTERN "*.md")
install(DIRECTORY ${root}/host/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  FILES_MATCHING PATTERN "*.1")
# As in the tree, so that their links lead somewhere.
install(FILES README.md LICENSE CHANGELOG.md DESTINATION
  ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY ${root}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md")
