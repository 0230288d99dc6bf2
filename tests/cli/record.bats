#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# `mcuprof record`: sources, endings, and what is saved.

load common

serve() { # capture, manner; the port in $port
  python3 "$TOOLS/serve.py" port "${2:-close}" <"$1" &
  server=$!
  for _ in $(seq 100); do
    [ -e port ] && break
    sleep 0.05
  done
  port=$(cat port)
}

teardown() {
  [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true
}

# What was saved is a HOST frame and then the bytes as they came.
assert_saved() { # file with the bytes
  local size
  size=$(stat -c %s "$1")
  tail -c "$size" capture.mprof | cmp - "$1"
  head -c -"$size" capture.mprof | python3 "$TOOLS/mprof.py" dump |
    grep -q "^7f     0 "
  [ "$(head -c -"$size" capture.mprof | python3 "$TOOLS/mprof.py" dump |
    wc -l)" -eq 1 ]
}

@test "standard input, then a report without any argument" {
  make_capture normal elf="$ELF" >bytes
  cp "$ELF" fw.elf
  run_apart "$MCUPROF" record - -e fw.elf <bytes
  [ "$status" -eq 0 ]
  assert_saved bytes
  grep -q "capture.mprof: 1,000 samples, 0 lost" err
  mkdir elsewhere
  mv capture.mprof elsewhere
  cd elsewhere
  run_apart "$MCUPROF" report
  [ "$status" -eq 0 ]
  assert_out "60.00 .* work$"
}

@test "a file, saved under a name" {
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes -o saved
  [ "$status" -eq 0 ]
  mv saved capture.mprof
  assert_saved bytes
}

@test "the previous capture is kept" {
  make_capture normal elf="$ELF" >bytes
  echo first >capture.mprof
  "$MCUPROF" record bytes
  [ "$(cat capture.mprof.old)" = first ]
  assert_saved bytes
}

@test "to standard output" {
  make_capture normal elf="$ELF" >bytes
  "$MCUPROF" record bytes -o - >capture.mprof
  assert_saved bytes
  [ ! -e - ]
}

@test "a socket whose peer closes" {
  make_capture normal elf="$ELF" >bytes
  serve bytes close
  run_apart "$MCUPROF" record "tcp:localhost:$port"
  [ "$status" -eq 0 ] || show_and_fail "closed"
  assert_saved bytes
}

@test "a socket whose peer resets the connection" {
  make_capture normal elf="$ELF" >bytes
  serve bytes reset
  run_apart "$MCUPROF" record "tcp:127.0.0.1:$port"
  [ "$status" -eq 0 ] || show_and_fail "reset"
  assert_saved bytes
}

@test "a socket that nobody serves" {
  run_apart "$MCUPROF" record tcp:127.0.0.1:1
  assert_complaint 4 "cannot connect to 127.0.0.1:1: Connection refused"
  run_apart "$MCUPROF" record tcp:no.such.host.invalid:1
  assert_complaint 4 "no.such.host.invalid"
  run_apart "$MCUPROF" record tcp:localhost
  assert_complaint 2 "tcp:localhost"
}

@test "sources that are not built yet" {
  local source
  for source in serial:/dev/ttyACM0@115200 \
    openocd:localhost:6666 rtt:dump.bin@0x20000000 \
    swo:trace.bin; do
    run_apart "$MCUPROF" record "$source"
    assert_complaint 2 "not built"
    grep -q "  sources so far: -, tcp:HOST:PORT, gdb:HOST:PORT, ram:FILE@ADDRESS, FILE" err
  done
}

@test "--duration ends a line that goes on" {
  make_capture normal elf="$ELF" >bytes
  serve bytes hold
  SECONDS=0
  run_apart "$MCUPROF" record "tcp:localhost:$port" --duration 1500ms
  [ "$status" -eq 0 ] || show_and_fail "duration"
  [ "$SECONDS" -ge 1 ]
  [ "$SECONDS" -le 20 ]
  assert_saved bytes
}

interrupt() { # signal
  make_capture normal elf="$ELF" >bytes
  serve bytes hold
  "$MCUPROF" record "tcp:localhost:$port" >out 2>err &
  local recorder=$!
  for _ in $(seq 100); do
    [ "$(stat -c %s capture.mprof 2>/dev/null || echo 0)" -gt \
      "$(stat -c %s bytes)" ] && break
    sleep 0.05
  done
  kill "-$1" "$recorder"
  status=0
  wait "$recorder" || status=$?
}

@test "SIGTERM saves what came" {
  interrupt TERM
  [ "$status" -eq 143 ] || show_and_fail "exit status $status"
  assert_saved bytes
  grep -q "1,000 samples" err
}

# Shells start background jobs with SIGINT ignored: Python does not.
@test "Ctrl-C saves what came" {
  make_capture normal elf="$ELF" >bytes
  serve bytes hold
  run_apart python3 - "$MCUPROF" "tcp:localhost:$port" <<'PYTHON'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
recorder = subprocess.Popen([sys.argv[1], "record", sys.argv[2]])
wanted = os.path.getsize("bytes")
for _ in range(100):
    if (os.path.exists("capture.mprof")
            and os.path.getsize("capture.mprof") > wanted):
        break
    time.sleep(0.05)
recorder.send_signal(signal.SIGINT)
sys.exit(recorder.wait(20))
PYTHON
  [ "$status" -eq 130 ] || show_and_fail "exit status $status"
  assert_saved bytes
}

@test "progress on a terminal only" {
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes
  refute_grep $'\r' err
  serve bytes hold
  script -qec "'$MCUPROF' record tcp:localhost:$port --duration 1s" typescript \
    >/dev/null
  grep -q $'\r.*1,000 samples' typescript
}

@test "another build is noticed while recording" {
  build_elf other.elf -DVARIANT=2
  make_capture normal elf="$ELF" >bytes
  run_apart "$MCUPROF" record bytes -e other.elf
  [ "$status" -eq 0 ]
  grep -q "^mcuprof: warning: another build" err
  assert_saved bytes
}

@test "onto a pipe that is closed early: ended by SIGPIPE, without a word" {
  make_capture normal elf="$ELF" >normal.mprof
  for _ in $(seq 100); do cat normal.mprof; done >long.mprof
  set +o pipefail
  { "$MCUPROF" record long.mprof -o - 2>err || echo $? >status; } | head -c 5 >out
  [ "$(cat status)" -eq 141 ]
  [ ! -s err ]
}

@test "onto its own source, straight or by a link: nothing is lost" {
  make_capture normal elf="$ELF" >one.mprof
  cp one.mprof two.mprof
  ln -s two.mprof link.mprof
  run_apart timeout 10 "$MCUPROF" record one.mprof -o one.mprof
  [ "$status" -eq 0 ]
  cmp one.mprof.old two.mprof
  run_apart timeout 10 "$MCUPROF" record two.mprof -o link.mprof
  [ "$status" -eq 0 ]
  cmp one.mprof.old two.mprof
}

@test "a port that is none" {
  for port in 0 65536 106540 http -1; do
    run_apart "$MCUPROF" record "tcp:127.0.0.1:$port"
    assert_complaint 2 "'$port' is no port"
  done
}
