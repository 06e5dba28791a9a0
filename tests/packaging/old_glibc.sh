#!/bin/bash
# old_glibc.sh SOURCES BUILD PROGRAM: a release's libraries for recorded programs need no symbol that is newer than glibc 2.17.
# With a newer glibc they record as the libraries of BUILD do. PROGRAM runs on libomp.
set -euo pipefail
sources=$1 build=$2 program=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "old_glibc: $*" >&2
  exit 1
}

if [[ $(uname -m) != x86_64 ]]; then
  echo "glibc 2.17 is a matter of x86-64"
  exit 0
fi
cmake -S "$sources" -B "$work/build" -DHEDDLE_TESTS=OFF -DHEDDLE_PARTS=recorder -DHEDDLE_OLD_GLIBC=ON >"$work/log" 2>&1 || fail "cmake: $(cat "$work/log")"
cmake --build "$work/build" -j2 >"$work/log" 2>&1 || fail "the build: $(tail -30 "$work/log")"
for library in "$work"/build/lib/libheddle-{gomp,pthread,calls}.so "$work/build/lib/libheddle.so"; do
  objdump -T "$library" >"$work/symbols"
  grep -qF 'GLIBC_2.2.5' "$work/symbols" || fail "$library needs nothing of glibc, which cannot be"
  newest=$(grep -o 'GLIBC_[0-9.]*' "$work/symbols" | sort -uV | tail -1)
  [[ $(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -1) == GLIBC_2.17 ]] || fail "$library needs $newest: $(grep -F "$newest" "$work/symbols")"
done
# They are loaded by the present glibc, too, and record.
OMP_TOOL_LIBRARIES=$work/build/lib/libheddle-ompt.so LD_PRELOAD=$work/build/lib/libheddle-pthread.so true || fail "true does not run with them"
# Which library waits is known: a wait that libomp makes for a barrier is none of the program's.
if [[ -n $program ]]; then
  mkdir "$work/both"
  cp -r "$build/bin" "$work/both/bin"
  cp -r "$work/build/lib" "$work/both/lib"
  OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive "$work/both/bin/heddle" record -o "$work/trace" -- "$program" 100 >"$work/log" 2>&1 || fail "heddle record: $(cat "$work/log")"
  "$work/both/bin/heddle" states --by region "$work/trace" >"$work/states" || fail "heddle states: $(cat "$work/log")"
  grep -q 'barrier' "$work/states" || fail "no barrier is recorded: $(cat "$work/states")"
  ! grep 'pthread' "$work/states" >&2 || fail "waits inside of libomp are recorded as the program's"
fi
echo "glibc 2.17 is enough"
