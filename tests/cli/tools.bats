#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# The scripts that install packages and count tests.

setup() {
  project=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  cd "$BATS_TEST_TMPDIR"
}

# A machine on which only the named packages are installed; what apt-get is
# asked for is kept in the file "asked".
fake_debian() { # package...
  mkdir -p bin
  echo "$*" >installed
  cat >bin/dpkg-query <<'EOF'
#!/bin/bash
for name in "${@:3}"; do
  if grep -qw -e "$name" installed; then
    echo "installed $name"
  fi
done
exit 1
EOF
  cat >bin/apt-get <<'EOF'
#!/bin/bash
echo "$DEBIAN_FRONTEND:$*" >>asked
EOF
  printf '#!/bin/sh\necho "${FAKE_ID:-0}"\n' >bin/id
  chmod +x bin/*
}

listed() {
  sed 's/#.*//' "$project/tools/packages.txt" | xargs
}

@test "install-deps: nothing to do is silent and asks nothing" {
  # shellcheck disable=SC2046
  fake_debian $(listed)
  PATH=$PWD/bin:$PATH run "$project/tools/install-deps.sh"
  [ "$status" -eq 0 ]
  [ -z "$output" ]
  [ ! -e asked ]
}

@test "install-deps: installs what is missing, after an update" {
  # shellcheck disable=SC2046
  fake_debian $(listed | sed 's/\bbats\b//; s/\bjq\b//')
  PATH=$PWD/bin:$PATH run "$project/tools/install-deps.sh"
  [ "$status" -eq 0 ]
  [[ "$(sed -n 1p asked)" == *:update* ]]
  [[ "$(sed -n 2p asked)" == noninteractive:install*--no-install-recommends\ bats\ jq ]]
  [ "$(wc -l <asked)" -eq 2 ]
}

@test "install-deps: without root and sudo it says what to do" {
  fake_debian git
  # A machine without sudo: only what the script itself needs.
  local tool
  for tool in bash sh dirname echo sed xargs grep cat; do
    ln -s "$(type -P "$tool")" bin/
  done
  FAKE_ID=1000 PATH=$PWD/bin run "$project/tools/install-deps.sh"
  [ "$status" -eq 1 ]
  [[ "$output" == *"remedy: as root, run apt-get install"*" cmake "* ]]
  [ ! -e asked ]
}

@test "install-deps: without apt it prints the list and stops" {
  mkdir bin
  local tool
  for tool in sh dirname echo sed xargs; do
    ln -s "$(type -P "$tool")" bin/
  done
  PATH=$PWD/bin run "$project/tools/install-deps.sh"
  [ "$status" -eq 1 ]
  [[ "$output" == *"$(listed)"* ]]
  [[ "$output" == *'remedy: '* ]]
}

# A project of one unit test, which passes, and one file of tests.
fake_project() {
  mkdir -p tests/some bin
  cp -r "$project/tools" .
  printf '#!/bin/sh\necho " 1/1 Test #1: test_some ...   Passed    0.01 sec"\n' \
    >bin/ctest
  chmod +x bin/ctest
  PATH=$PWD/bin:$PATH
  {
    inner_test good true
    inner_test better true
    inner_test 'left out' 'skip "for a reason"'
  } >tests/some/full-some.bats
}

# printf, for bats would take a line that begins with @test for its own.
inner_test() { # name, command
  printf '@test "%s" {\n  %s\n}\n' "$1" "$2"
}

@test "run-tests: counts what passed and what was skipped" {
  # The unit test by two compilers, and two of the file.
  fake_project
  run tools/run-tests.sh full
  echo "$output"
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = 'tests: 4 passed, 0 failed, 1 skipped' ]
}

@test "run-tests: one failed test fails the run and is shown" {
  fake_project
  inner_test wrong false >tests/some/full-wrong.bats
  run tools/run-tests.sh full
  echo "$output"
  [ "$status" -eq 1 ]
  [[ "$output" == *'not ok 1 wrong'* ]]
  [ "${lines[-1]}" = 'tests: 4 passed, 1 failed, 1 skipped' ]
}

@test "run-tests: a file that does not load has failed" {
  fake_project
  {
    echo 'load no_such_helper'
    inner_test never true
  } >tests/some/full-broken.bats
  run tools/run-tests.sh full
  echo "$output"
  [ "$status" -eq 1 ]
  [ "${lines[-1]}" = 'tests: 4 passed, 1 failed, 1 skipped' ]
}

@test "run-tests: a file without tests has failed" {
  fake_project
  echo '# later' >tests/some/full-empty.bats
  run tools/run-tests.sh full
  echo "$output"
  [ "$status" -eq 1 ]
  [ "${lines[-1]}" = 'tests: 4 passed, 1 failed, 1 skipped' ]
}

@test "run-tests: fast without unit tests has failed, and leaves full-* out" {
  fake_project
  rm bin/ctest
  run tools/run-tests.sh fast
  echo "$output"
  [ "$status" -eq 1 ]
  [ "${lines[-1]}" = 'tests: 0 passed, 1 failed' ]
}
