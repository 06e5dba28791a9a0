#!/bin/bash
# What gets installed works from where it is installed: install.sh BUILD PROGRAM
# (PROGRAM: an OpenMP program on libomp; without it nothing is traced.)
set -euo pipefail
build=$1
program=${2:-}
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "install: $*" >&2
  exit 1
}

DESTDIR=$work/root cmake --install "$build" >/dev/null
prefix=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")
root=$work/root$prefix

for file in bin/heddle bin/heddle-convert share/bash-completion/completions/heddle share/man/man1/heddle-states.1 \
  share/man/man3/heddle-user-events.3 include/heddle.h include/heddle.f90 include/heddle-transform.h; do
  [[ -f $root/$file ]] || fail "$file is not installed"
done
cited=$(grep -ohE '\b[a-z0-9]+\.md\b' "$source"/docs/heddle*.[13].md | sort -u)
[[ -n $cited ]] || fail "no manual page refers to another page any more"
for page in $cited; do
  [[ -f $root/share/doc/heddle/docs/$page ]] || fail "manual pages refer to $page, which is not installed"
done
tool=$(find "$root" -name libheddle-ompt.so)
[[ -n $tool ]] || fail "libheddle-ompt.so is not installed"
[[ -f $(dirname "$tool")/libheddle-gomp.so ]] || fail "libheddle-gomp.so is not installed beside it"
# What is loaded into programs is small: in memory, and on disk without what debuggers read.
for library in "$tool" "$(dirname "$tool")/libheddle-gomp.so"; do
  bytes=$(size "$(realpath "$library")" | awk 'NR == 2 { print $1 + $2 }')
  strip -o "$work/stripped.so" "$library"
  for n in "$bytes" "$(stat -c %s "$work/stripped.so")"; do
    [[ $n -lt 600000 ]] || fail "$(basename "$library") has $n bytes, which is too large for a library in the program"
  done
done
"$root/bin/heddle" --version | grep -q '^heddle [0-9]' || fail "heddle --version says nothing"
man -l "$root/share/man/man1/heddle-states.1" 2>"$work/man" | grep -qi synopsis || fail "the manual page can't be read: $(cat "$work/man")"

pc=$(dirname "$(find "$root" -name heddle.pc)")
[[ $(PKG_CONFIG_PATH=$pc pkg-config --modversion heddle) == [0-9]* ]] || fail "pkg-config does not know heddle"
[[ $(PKG_CONFIG_PATH=$pc pkg-config --variable=ompt_tool heddle) == "$prefix"/*/libheddle-ompt.so ||
  $(PKG_CONFIG_PATH=$pc pkg-config --variable=ompt_tool heddle) == "$prefix"/lib/libheddle-ompt.so ]] || fail "pkg-config: no ompt_tool"

# A program that uses heddle.h is built with what pkg-config says.
cat >"$work/user.c" <<'EOF'
#include <heddle.h>
int main(void)
{
  heddle_event("told");
}
EOF
flags=$(PKG_CONFIG_PATH=$pc PKG_CONFIG_SYSROOT_DIR=$work/root pkg-config --cflags --libs heddle)
# shellcheck disable=SC2086 # they are words
cc "$work/user.c" $flags -o "$work/user" || fail "a program with heddle.h can't be built: $flags"

# Completion offers the commands, and a command's options.
completes() {
  PATH=$root/bin:$PATH bash -c '
    source "$1"; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _heddle
    printf "%s\n" "${COMPREPLY[@]}"' completion "$root/share/bash-completion/completions/heddle" "$@"
}
completes heddle st | grep -qx states || fail "completion does not offer the command states"
completes heddle states --js | grep -qx -- --json || fail "completion does not offer --json"

if [[ -n $program ]]; then
  (cd "$work" && "$root/bin/heddle" record -o trace -- "$program" 20 >out 2>err) || fail "heddle record: $(cat "$work/err")"
  "$root/bin/heddle" states "$work/trace" | grep -q RUN || fail "heddle states shows nothing"
  (cd "$work" && HEDDLE_DIR=alone OMP_TOOL_LIBRARIES=$tool "$program" 20 >out 2>err)
  [[ -f $work/alone/traces.otf2 ]] || fail "the installed tool does not find the installed converter: $(cat "$work/err")"
fi

# The Debian packages hold the same.
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work/deb" >cpack.log 2>&1) || fail "cpack: $(cat "$work/cpack.log")"
holds() {
  dpkg-deb --contents "$work"/deb/"$1"_*.deb >"$work/contents"
  shift
  for file; do
    grep -q "$file" "$work/contents" || fail "$file is not in the package: $(cat "$work/contents")"
  done
}
holds heddle usr/bin/heddle usr/bin/heddle-convert usr/share/man/man1/heddle.1
holds libheddle-ompt libheddle.so libheddle-ompt.so libheddle-pthread.so libheddle-calls.so
holds libheddle-gomp libheddle-gomp.so
holds heddle-java libheddle-jvmti.so heddle.jar
holds libheddle-dev usr/include/heddle.h libheddle-user.a heddle-config.cmake heddle.pc
holds heddle-doc heddle/README.md heddle/docs/otf2.md heddle/docs/guides/locks.md heddle/docs/report-timeline.png
dpkg-deb --field "$work"/deb/heddle_*.deb Depends | grep -q libc6 || fail "the package depends on nothing"
dpkg-deb --field "$work"/deb/heddle_*.deb Depends | grep -q libheddle-ompt || fail "heddle does not need its libraries"
# What is loaded into programs needs libc alone.
[[ $(dpkg-deb --field "$work"/deb/libheddle-ompt_*.deb Depends) != *,* ]] || fail "libheddle-ompt needs more than libc"
echo "installed, packaged, and working"
