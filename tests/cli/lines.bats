#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `mcuprof report` by line, file and function: which source the samples are
# from. Lines come from the text of the sources, addresses from nm.

load common

setup_file() {
  cd "$BATS_FILE_TMPDIR" || return 1
  build_linked chain.elf -O2 -g "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  build_linked mangled.elf "$SMALL/mangled.S"
  arm-none-eabi-g++ -mcpu=cortex-m3 -mthumb -O1 -g -nostdlib -fno-exceptions \
    -fno-rtti -Wl,-Ttext=0x8000 -o overloads.elf "$SMALL/overloads.cpp"
}

setup() {
  unset MCUPROF_ELF NO_COLOR
  cd "$BATS_TEST_TMPDIR" || return 1
  ELF=$BATS_FILE_TMPDIR/chain.elf
}

# Samples at symbols: "in_helper_one:30 in_helper_two+2:20".
samples() { # symbol[+offset]:count...
  local part name offset list=
  for part; do
    name=${part%:*}
    offset=0
    if [[ $name == *+* ]]; then
      offset=${name#*+}
      name=${name%+*}
    fi
    list+=$(printf ',0x%x:%s' $(($(address_of "$name") + offset)) "${part##*:}")
  done
  make_capture at at="${list#,}" >capture.mprof
}

report() { # options...
  run_apart "$MCUPROF" report -e "$ELF" "$@"
  [ "$status" -eq 0 ] || show_and_fail "exit status $status"
}

every_spot() {
  samples in_innermost_one:40 in_innermost_two:30 in_middle_one:10 \
    in_helper_one:8 in_helper_two:7 in_outer_one:5
}

@test "by line: the innermost frame's, summed over the program" {
  every_spot
  report --by line
  # 40 and 30 samples are at one line of the header.
  assert_out "^ +70\.00 .* 70 +chain\.h:$(line_of chain.h 'spot innermost') +innermost$" \
    "^ +10\.00 .* 10 +chain\.h:$(line_of chain.h 'spot middle') +middle$" \
    "^ +8\.00 .* 8 +chain_one\.c:$(line_of chain_one.c 'SPOT(in_helper') +helper$" \
    "^ +7\.00 .* 7 +chain_two\.c:$(line_of chain_two.c 'SPOT(in_helper') +helper$" \
    "^ +5\.00 .* 5 +chain_one\.c:$(line_of chain_one.c 'spot outer') +outer_one$" \
    "^  paths are below $SMALL/$" \
    '^ +share +\+/- +samples +file:line +function$'
  [ "$(awk '/ $/' out)" = "" ]
  report --by line --format json
  [ "$(json '.rows[0] | .file, .line, .function, .samples, .kind' | xargs)" \
    = "$SMALL/chain.h $(line_of chain.h 'spot innermost') innermost 70 function" ]
  [ "$(json '.by, ([.rows[].samples] | add)' | xargs)" = "line 100" ]
  report --by line --format csv
  [ "$(head -n 1 out)" = "share_percent,low_percent,high_percent,samples,\
file,line,kind,function,linkage,module" ]
  [ "$(wc -l <out)" -eq 6 ]
}

@test "by file" {
  every_spot
  report --by file
  assert_out '^ +80\.00 .* 80 +chain\.h$' '^ +13\.00 .* 13 +chain_one\.c$' \
    '^ +7\.00 .* 7 +chain_two\.c$'
  report --by file --format json
  [ "$(json '.rows[1] | .file, .samples, .kind' | xargs)" = \
    "$SMALL/chain_one.c 13 file" ]
}

@test "functions in memory by default, inlined ones if asked" {
  every_spot
  report
  assert_out '^ +55\.00 .* 55 +outer_one$' '^ +30\.00 .* 30 +outer_two$' \
    'functions as they exist in memory; --inline shows inlined ones'
  refute_out 'innermost$'
  report --inline
  assert_out '^ +70\.00 .* 70 +innermost$' '^ +10\.00 .* 10 +middle$' \
    '^ +5\.00 .* 5 +outer_one$' '^  innermost inlined functions$'
  refute_out 'outer_two'
  report --inline --format json
  [ "$(json .functions)" = inlined ]
  # Inlined into several places it has no address; a function of its own has.
  [ "$(json '.rows[] | select(.function == "innermost") | .address')" = null ]
  [ "$(json '.rows[] | select(.function == "middle") | .address')" = null ]
  [ "$(json '.rows[] | select(.function == "outer_one") | .address')" -eq \
    $(($(address_of outer_one))) ]
  report --format json
  [ "$(json .functions)" = physical ]
}

@test "two functions of one name are told apart" {
  every_spot
  first=$(address_of helper)
  report
  assert_out " 8 +helper @$first$" ' 7 +helper @0x[0-9a-f]{8}$'
  report --inline
  assert_out " 8 +helper @$first$"
}

@test "by address: line, and in JSON the chain" {
  samples in_innermost_one:3 in_helper_two:2
  report --by address
  assert_out " 3 +$(address_of in_innermost_one) +chain\.h:$(line_of chain.h 'spot innermost') +outer_one\+0x10$"
  report --by address --format json
  "$ADDR2LINE" -f -i -e "$ELF" "$(address_of in_innermost_one)" >expected
  json '.rows[0].frames[] | .function, "\(.file):\(.line)"' | diff expected -
  [ "$(json '[.rows[0].frames[].inlined] | tostring')" = "[true,true,false]" ]
  report --by address --format csv
  [ "$(head -n 1 out)" = "share_percent,low_percent,high_percent,samples,\
address,offset,kind,file,line,function,linkage,module" ]
}

@test "thirty lines, ten of all else; the rest is summed up" {
  local i list=
  {
    echo 'volatile int counter; void _start(void) {'
    for ((i = 0; i < 40; i++)); do
      echo "__asm__ volatile(\".global at_$i\\nat_$i:\\n\\tnop\");"
    done
    echo '}'
  } >many.c
  build_linked many.elf -O1 -g many.c
  ELF=many.elf
  for ((i = 0; i < 40; i++)); do
    list+=" at_$i:$((i + 1))"
  done
  # shellcheck disable=SC2086
  samples $list
  report --by line
  [ "$(grep -c ' many\.c:[0-9]* *_start$' out)" -eq 30 ]
  # 1 to 10 of 1 to 40.
  assert_out '10 more lines, 6\.71 % together \(-n 0 shows all\)'
  report --by address
  [ "$(grep -c ' many\.c:' out)" -eq 10 ]
  report --by line -n 5
  assert_out '35 more lines'
  report --by line --format csv
  [ "$(wc -l <out)" -eq 41 ]
}

@test "half the program without debug info" {
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -c "$SMALL/chain_two.c"
  build_linked half.elf -O2 -g chain_two.o "$SMALL/chain_one.c"
  ELF=half.elf
  every_spot
  report --by line
  # 30 of outer_two; 7 of a helper.
  assert_out ' 30 +\[no line\] +outer_two$' ' 7 +\[no line\] +helper$' \
    " 40 +chain\.h:[0-9]+ +innermost$"
  report --by file
  assert_out ' 37 +\[no file\]$' ' 13 +chain_one\.c$'
  report --by line --format json
  [ "$(json '.rows[] | select(.function == "outer_two")
    | .file, .line, .kind' | xargs)" = "null null no_line" ]
  # Names are as good without.
  report --inline
  assert_out ' 30 +outer_two$' ' 40 +innermost$'
}

@test "a debug file that is missing is the reason" {
  every_spot
  cp "$ELF" whole.elf
  arm-none-eabi-objcopy --only-keep-debug whole.elf fw.debug
  arm-none-eabi-strip whole.elf -o fw.elf
  arm-none-eabi-objcopy --add-gnu-debuglink=fw.debug fw.elf
  mv fw.debug elsewhere
  for by in function line; do
    run_apart "$MCUPROF" report -e fw.elf --force --by $by
    assert_complaint 1 'fw\.debug'
  done
  mv elsewhere fw.debug
  run_apart "$MCUPROF" report -e fw.elf --force --by line
  [ "$status" -eq 0 ]
  assert_out ' 70 +chain\.h:.* +innermost$'
}

@test "no debug info at all" {
  build_linked bare.elf -O2 "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  ELF=bare.elf
  every_spot
  for options in '--by line' '--by file' '--inline' '--by function,line'; do
    # shellcheck disable=SC2086
    run_apart "$MCUPROF" report -e "$ELF" $options
    assert_complaint 1 'has no debug info'
    grep -q 'compile with -g' err
  done
  report
  assert_out ' 55 +outer_one$' '^  functions as they exist in memory$'
  report --by address
  assert_out '^ +share +\+/- +samples +address +function$'
  report --by context
}

@test "debug info and no symbols" {
  every_spot
  arm-none-eabi-strip --strip-unneeded --keep-section='.debug_*' \
    -o stripped.elf "$ELF"
  arm-none-eabi-objcopy --wildcard --strip-symbol='*' stripped.elf
  run_apart "$MCUPROF" report -e stripped.elf
  [ "$status" -eq 0 ]
  assert_out ' 55 +outer_one$' ' 30 +outer_two$' ' 8 +helper @0x00008000$'
}

@test "clones and parts: one row, or each its own" {
  ELF=$BATS_FILE_TMPDIR/mangled.elf
  samples crc:10 crc.constprop.0:20 crc.part.0+2:30 crc.cold:5 lonely.isra.0:35
  report
  assert_out '^ +65\.00 .* 65 +crc$' '^ +35\.00 .* 35 +lonely$'
  [ "$(grep -c crc out)" -eq 1 ]
  report --format json
  [ "$(json '.rows[0] | .function, .linkage, .address, .size' | xargs)" = \
    "crc crc $(($(address_of crc))) 8" ]
  report --clones
  assert_out ' 10 +crc$' ' 20 +crc\.constprop\.0$' ' 30 +crc\.part\.0$' \
    ' 5 +crc\.cold$' ' 35 +lonely\.isra\.0$'
  report --by address
  assert_out ' 30 +0x[0-9a-f]+ +crc\.part\.0\+0x2$'
  # Without its own code sampled it is where the first clone is.
  samples crc.part.0:30 crc.constprop.0:20
  report --format json
  [ "$(json '.rows[0] | .function, .address' | xargs)" = \
    "crc $(($(address_of crc.constprop.0)))" ]
  # A cold part comes last.
  samples crc.cold:30 crc.part.0:20
  report --format json
  [ "$(json '.rows[0] | .function, .address' | xargs)" = \
    "crc $(($(address_of crc.part.0)))" ]
}

@test "demangled names, overloads, the linker's names" {
  ELF=$BATS_FILE_TMPDIR/mangled.elf
  samples _Z3addi:50 _Z3addd:30 _ZN3net5queueIiE4pushEi:15 \
    _ZN3app3run17hfedcba9876543210E:4 _RNvCs1234_3app4stop:1
  report
  assert_out " 50 +add @$(address_of _Z3addi)$" \
    " 30 +add @$(address_of _Z3addd)$" ' 15 +net::queue<int>::push$' \
    ' 4 +app::run$' ' 1 +app::stop$'
  report --demangle full
  assert_out ' 50 +add\(int\)$' ' 30 +add\(double\)$' \
    ' 15 +net::queue<int>::push\(int\)$' ' 4 +app::run::hfedcba9876543210$'
  report --demangle no
  assert_out ' 50 +_Z3addi$' ' 15 +_ZN3net5queueIiE4pushEi$' \
    ' 4 +_ZN3app3run17hfedcba9876543210E$'
  for style in simple full no; do
    report --demangle $style --format json
    [ "$(json '.rows[2].linkage')" = _ZN3net5queueIiE4pushEi ]
  done
}

@test "C++: a template, overloads and a lambda of a compiler" {
  ELF=$BATS_FILE_TMPDIR/overloads.elf
  local list=
  for name in $(arm-none-eabi-nm "$ELF" | awk '$2 ~ /[tTwW]/ && $3 ~ /^_Z/ {
      print $3 }'); do
    list+=" $name:10"
  done
  # shellcheck disable=SC2086
  samples $list
  report --by function
  assert_out ' net::add @0x' ' net::queue<int>::push$' 'operator\(\)$'
  report --demangle full
  assert_out ' net::add\(int\)$' ' net::add\(short\)$'
}

# The inlined functions of scopes.cpp have no name of the linker's, so theirs
# are as the source nests them.
scopes_elf() {
  ELF=scopes.elf
  arm-none-eabi-g++ -mcpu=cortex-m3 -mthumb -O1 -g -nostdlib -fno-exceptions \
    -fno-rtti -Wl,-Ttext=0x8000 -o scopes.elf "$SMALL/scopes.cpp" "$@"
  mapfile -t applied < <(arm-none-eabi-nm -n scopes.elf |
    sed -n 's/.* \(at_apply_[0-9]*\)$/\1/p')
  [ ${#applied[@]} -eq 2 ]
}

@test "C++: inlined functions have their scopes, and are told apart" {
  scopes_elf
  samples at_uart_init:20 at_spi_init:19 at_hidden:18 at_polled:17 \
    at_lambda_one:16 at_lambda_two:15 "${applied[0]}:14" "${applied[1]}:13"
  report --inline -n 0
  local one two
  one=$(line_of scopes.cpp '// one')
  two=$(line_of scopes.cpp '// two')
  assert_out ' 20 +uart::init$' ' 19 +spi::init$' \
    ' 18 +\(anonymous namespace\)::hidden$' \
    ' 17 +bus::\(anonymous namespace\)::Meter::poll::\{lambda\}::operator\(\)$' \
    " 16 +_start::\{lambda\}::operator\(\) \(scopes\.cpp:$one\)$" \
    " 15 +_start::\{lambda\}::operator\(\) \(scopes\.cpp:$two\)$" \
    " 14 +apply<.*> \[F at scopes\.cpp:$one\]" \
    " 13 +apply<.*> \[F at scopes\.cpp:$two\]"
  report --by line --format json
  [ "$(json '.rows[] | select(.samples == 20) | .function, .line' | xargs)" = \
    "uart::init $(line_of scopes.cpp 'uart_init')" ]
  run_apart "$MCUPROF" where -e scopes.elf --format json \
    "$(address_of at_spi_init)"
  [ "$(json '.places[0].frames[0] | .function, .linkage' | xargs)" = \
    'spi::init init' ]
}

@test "C++ with little debug info: lambdas are still not one" {
  scopes_elf -g1
  samples at_uart_init:20 at_spi_init:19 at_lambda_one:16 at_lambda_two:15
  report --inline
  # Neither scopes nor the lambdas' lines are in there.
  assert_out " 20 +init \\(scopes\\.cpp:[0-9]+\\)$" \
    " 19 +init \\(scopes\\.cpp:[0-9]+\\)$" ' 16 +operator\(\)$' \
    ' 15 +operator\(\)$'
}

@test "one inlined function of a header is one, whoever includes it" {
  # The second one's symbols have other names, and so has its main function.
  sed 's/_start/second/; s/at_/second_at_/g' "$SMALL/scopes.cpp" >second.cpp
  printf '#line 1 "%s"\n' "$SMALL/scopes.cpp" | cat - second.cpp >twice.cpp
  scopes_elf twice.cpp
  samples at_uart_init:20 second_at_uart_init:19 at_lambda_one:9 \
    second_at_lambda_one:8
  report --inline
  # The lambdas are in different functions.
  assert_out ' 39 +uart::init$' ' 9 +_start::\{lambda\}::operator\(\)$' \
    ' 8 +second::\{lambda\}::operator\(\)$'
}

@test "the function in memory has one name, with and without --inline" {
  scopes_elf
  samples at_send:20 at_closed:10 at_uart_init:5
  for options in '' '--inline'; do
    # shellcheck disable=SC2086
    report $options
    assert_out ' 20 +bus::send$' ' 10 +bus::Port::~Port$'
    # shellcheck disable=SC2086
    report $options --demangle no
    assert_out ' 20 +_ZN3busL4sendEv$' ' 10 +_ZN3bus4PortD[12]Ev$'
  done
}

@test "inlined and not, a function has the name of its own code" {
  cat >both.cpp <<'SOURCE'
namespace bus {
static void send() { __asm__ volatile("at_send_%=: nop" ::); }
void (*volatile hook)() = send;
}
extern "C" void _start() { bus::send(); bus::hook(); }
SOURCE
  ELF=both.elf
  arm-none-eabi-g++ -mcpu=cortex-m3 -mthumb -O2 -g -nostdlib \
    -Wl,-Ttext=0x8000 -o both.elf both.cpp
  local copy inlined
  for copy in $(arm-none-eabi-nm both.elf | sed -n 's/.* \(at_send_\)/\1/p'); do
    samples "$copy:5"
    report --by address --format json
    [ "$(json '.rows[0].frames[0].inlined')" = false ] || inlined=$copy
  done
  # Inlined alone it is what the source says.
  samples "$inlined:5"
  report --inline --demangle no
  assert_out ' 5 +bus::send$'
  samples "$inlined:5" _ZN3busL4sendEv:20
  report --inline --demangle no
  assert_out ' 25 +_ZN3busL4sendEv$'
  report --inline
  assert_out ' 25 +bus::send$'
}

@test "paths of another system, mapped or not" {
  build_linked windows.elf -O2 -g -ffile-prefix-map="$SMALL=C:\\proj/src" \
    "$SMALL/chain_one.c" "$SMALL/chain_two.c"
  ELF=windows.elf
  every_spot
  line=$(line_of chain.h 'spot innermost')
  report --by line
  assert_out " chain\.h:$line +innermost$" 'paths are below C:\\proj/src.$'
  report --by line --format json
  [[ "$(json '.rows[0].file')" == 'C:\proj/src'[/\\]'chain.h' ]]
  report --by line --format json --path-map 'C:\proj=/home/u/proj'
  [ "$(json '.rows[0].file')" = /home/u/proj/src/chain.h ]
  report --by file --strip-prefix 'C:\proj/src'
  assert_out ' chain\.h$'
  refute_out 'paths are below'
}

@test "the same file by two names is one once it is mapped" {
  arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -g -c "$SMALL/chain_two.c" \
    -ffile-prefix-map="$SMALL=/one"
  build_linked two.elf -O2 -g -ffile-prefix-map="$SMALL=/two" chain_two.o \
    "$SMALL/chain_one.c"
  ELF=two.elf
  every_spot
  report --by file
  assert_out ' /?two/chain\.h$' ' /?one/chain\.h$'
  report --by line --path-map /one=/src --path-map /two=/src
  assert_out " 70 +/?(src/)?chain\.h:"
}

@test "sorted by name and line" {
  every_spot
  report --by line --sort name --format csv
  tail -n +2 out | cut -d, -f5,6 >shown
  sort -t, -k1,1 -k2,2n shown | diff shown -
}

@test "letters beyond ASCII stand in columns, and are never cut in two" {
  printf '#line 7 "gr\303\274n/\303\244\303\266\303\274.c"\n' >odd.c
  echo 'void _start(void) { __asm__("nop"); }' >>odd.c
  build_linked odd.elf -g -O1 odd.c -fextended-identifiers
  ELF=odd.elf
  samples _start:5
  report --by address
  python3 - <<'PYTHON'
lines = open("out", encoding="UTF-8").read().splitlines()
header = next(line for line in lines if line.endswith("function"))
row = next(line for line in lines if line.endswith("_start"))
assert header.index("function") == row.index("_start"), (header, row)
PYTHON
  script -qec "stty cols 60; '$MCUPROF' report -e odd.elf --by file \
    --color=never" /dev/null >terminal
  iconv -f UTF-8 -t UTF-8 terminal >/dev/null
}

@test "usage of the options for names" {
  every_spot
  run_apart "$MCUPROF" report -e "$ELF" --by lines
  assert_complaint 2 "--by cannot be 'lines'"
  run_apart "$MCUPROF" report -e "$ELF" --path-map nothing
  assert_complaint 2 "--path-map cannot be"
  run_apart "$MCUPROF" report -e "$ELF" --clones=no
  assert_complaint 2 "takes no value"
}
