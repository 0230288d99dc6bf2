#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Installs those packages of packages.txt that are missing. Says nothing and
# touches nothing when all are there.
set -eu

list="$(dirname "$0")/packages.txt"
packages=$(sed -e 's/#.*//' "$list" | xargs)

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "$0: no apt here; mcuprof needs: $packages" >&2
  echo "remedy: install these with your system's package manager and" \
    "set MCUPROF_SKIP_DEPS=1" >&2
  exit 1
fi

# dpkg-query fails when it does not know one of the names; what it knows is
# still printed.
installed=$(
  # shellcheck disable=SC2086 # a list of names
  dpkg-query -W -f='${db:Status-Status} ${Package}\n' $packages 2>/dev/null |
    sed -n 's/^installed //p'
) || true
missing=
for package in $packages; do
  case "
$installed
" in
  *"
$package
"*) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "$0: missing packages:$missing" >&2
    echo "remedy: as root, run apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi

echo "installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of names
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends $missing >/dev/null
