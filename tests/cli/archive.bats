#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# Which of many builds ran: `archive` and -e DIR.

load common

@test "the ELF that ran is found among others" {
  for number in 2 3 4; do
    build_elf "build$number.elf" "-DVARIANT=$number"
  done
  "$MCUPROF" archive build2.elf "$ELF" build3.elf build4.elf >filed
  [ "$(wc -l <filed)" -eq 4 ]
  cmp "$ELF" "$(sed -n 2p filed)"
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e elves --format json
  [ "$status" -eq 0 ]
  [ "$(json .quality.identity)" = match ]
  [ "$(json .elf)" = "$(sed -n 2p filed)" ]
  make_capture normal elf=build4.elf >capture.mprof
  run_apart "$MCUPROF" report -e elves --format json
  [ "$(json .elf)" = "$(sed -n 4p filed)" ]
}

@test "an ELF is filed once, under the CRC-32 of its bytes" {
  "$MCUPROF" archive "$ELF" >first
  crc=$(python3 -c 'import sys, zlib
print("%08x" % zlib.crc32(open(sys.argv[1], "rb").read()))' "$ELF")
  [ "$(cat first)" = "elves/fw.$crc.elf" ]
  "$MCUPROF" archive "$ELF" >again
  cmp first again
  [ "$(ls elves)" = "fw.$crc.elf" ]
}

@test "no ELF in the directory is the one" {
  build_elf other.elf -DVARIANT=2
  "$MCUPROF" archive other.elf -o there >/dev/null
  make_capture normal elf="$ELF" >capture.mprof
  run_apart "$MCUPROF" report -e there
  assert_complaint 1 "no ELF in there matches the firmware"
  run_apart "$MCUPROF" where 0x100 -e there
  assert_complaint 1 "nothing to tell by which ELF in there ran"
}

@test "what is no ELF, or cannot be written, is not filed" {
  echo text >text.elf
  run_apart "$MCUPROF" archive text.elf
  assert_complaint 1 "text.elf"
  run_apart "$MCUPROF" archive missing.elf
  assert_complaint 1 "missing.elf"
  touch file
  run_apart "$MCUPROF" archive "$ELF" -o file
  assert_complaint 1 "file"
  [ ! -e elves ] || [ -z "$(ls elves)" ]
}
