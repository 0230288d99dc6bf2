#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# C++ functions without a linkage name, asked of `where`: what is nested in what
# follows from the source, addresses from nm.

bats_require_minimum_version 1.5.0
load where

setup() {
  cd "$BATS_TEST_TMPDIR"
}

# compile FLAG...: source.cpp as $ELF.
compile() {
  ELF=$BATS_TEST_TMPDIR/scopes.elf
  arm-none-eabi-g++ -mcpu=cortex-m3 -mthumb -nostdlib -g -O1 -fPIC \
    -fno-exceptions -fno-rtti -Wl,-e0,--no-warnings source.cpp -o "$ELF" "$@"
}

# A function at 0 of which DWARF has the name alone.
write_source() {
  cat >source.cpp <<'SOURCE'
namespace mod {
static __attribute__((noinline)) int step(int value)
{
    __asm__ volatile("nop\n at_step: nop"); // here
    return value + 1;
}
} // namespace mod
extern "C" int entry(int value)
{
    return mod::step(value) * mod::step(3);
}
SOURCE
}

expect_step() {
  [ "$(address_of _ZN3modL4stepEi)" -eq 0 ]
  ask "$(address_of at_step)" --demangle no
  is '.symbol.linkage == "_ZN3modL4stepEi" and (.frames | length) == 1
    and (.frames[0].file | endswith("source.cpp"))'
  is ".frames[0].line == $(line_of source.cpp '// here')"
  ask "$(address_of entry)"
  is '.frames[0].file | endswith("source.cpp")'
}

@test "a static C++ function at 0 keeps its lines" {
  write_source
  compile -shared -fno-toplevel-reorder -Wl,-Ttext=0
  expect_step
}

@test "at 0, which mangled names have the name of the source as a part" {
  local name
  write_source
  compile -shared -fno-toplevel-reorder -Wl,-Ttext=0
  cp "$ELF" built.elf
  for name in _ZN3mod4step17h0123456789abcdefE _RNvCs1234_3mod4step \
    _ZN3modL4stepEi _ZN3modL4stepEi.constprop.0; do
    arm-none-eabi-objcopy --redefine-sym "_ZN3modL4stepEi=$name" built.elf "$ELF"
    ask "$(address_of at_step)"
    is ".frames[0].line == $(line_of source.cpp '// here')"
  done
  for name in _ZN3modL5stepsEi _ZN3modL14step_and_moresEi _ZN3modL4stopEi \
    other4step; do
    arm-none-eabi-objcopy --redefine-sym "_ZN3modL4stepEi=$name" built.elf "$ELF"
    ask "$(address_of at_step)"
    is '.frames[0].line == null'
  done
}

@test "discarded C++ code of another name is not what is at 0" {
  write_source
  cat >dead.cpp <<'SOURCE'
namespace mod {
static __attribute__((noinline)) int tep(int value)
{
    __asm__ volatile("nop\nnop\nnop\nnop");
    return value + 2;
}
extern "C" int user(int value)
{
    return tep(value) + tep(2);
}
// Without it the linker drops all debug info.
extern "C" int kept(int value)
{
    return value;
}
} // namespace mod
SOURCE
  compile dead.cpp -ffunction-sections -fno-toplevel-reorder \
    -Wl,-Ttext=0,--gc-sections,-eentry,-ukept
  [ -z "$(arm-none-eabi-nm "$ELF" | grep -e L3tep -e user)" ]
  [ "$(llvm-dwarfdump --debug-info "$ELF" | grep -A14 DW_TAG_subprogram |
    grep -c 'low_pc.*(0x00000000)')" -ge 3 ]
  expect_step
}

@test "a function within functions, classes and namespaces" {
  cat >source.cpp <<'SOURCE'
namespace outer { namespace {
template <typename T> struct Box {
    struct Inner {
        static inline __attribute__((always_inline)) void fill()
        {
            auto deep = [](T first) __attribute__((always_inline)) {
                auto deeper = [first] __attribute__((always_inline)) {
                    __asm__ volatile("at_deep: nop" : : "r"(first));
                };
                deeper();
            };
            deep(T(7));
        }
    };
};
} }
extern "C" void entry() { outer::Box<long>::Inner::fill(); }
SOURCE
  compile -Wl,-Ttext=0x8000
  ask "$(address_of at_deep)"
  is '[.frames[].function] == [
    "outer::(anonymous namespace)::Box<long int>::Inner::fill::{lambda}::operator()::{lambda}::operator()",
    "outer::(anonymous namespace)::Box<long int>::Inner::fill::{lambda}::operator()",
    "outer::(anonymous namespace)::Box<long int>::Inner::fill", "entry"]'
}
