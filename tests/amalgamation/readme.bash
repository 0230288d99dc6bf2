# SPDX-License-Identifier: MIT
#
# Loaded by the tests that compile what the documentation shows.

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

# Its blocks of C, as block1.c and so on in this folder.
readme_blocks() {
  awk '/^ *```c$/ { block++; inside = 1; next }
    /^ *```$/ { inside = 0 }
    inside { print >("block" block ".c") }' "$ROOT/README.md"
}

# The block of a language in a section of docs/porting.md.
porting_block() { # the section's title, language
  awk -v title="## $1" -v fence="\`\`\`$2" '/^## / { here = $0 == title }
    here && inside && /^```$/ { exit }
    here && inside
    here && $0 == fence { inside = 1 }' "$ROOT/docs/porting.md"
}

# The library in one file, in this folder; settings as "NAME VALUE", made on
# top of mcuprof.c as a user makes them.
amalgamate() { # setting...
  "$ROOT/tools/amalgamate.py" .
  local setting
  for setting; do
    sed -i "s|^//#define ${setting% *} .*|#define $setting|" mcuprof.c
    grep -qx "#define $setting" mcuprof.c
  done
}
