#!/bin/bash
# Where a program is missing that a check calls, the check fails and says which one, and which package has it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "missing_tools: $*" >&2
  exit 1
}

# A PATH with all programs of this machine, from which one can be taken away.
bin=$work/bin
mkdir "$bin"
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
  ln -sf "$directory"/* "$bin/"
done

# says_so TOOL CHECK [ARGUMENT...]
says_so() {
  local tool=$1 package
  shift
  package=$(awk -v tool="$tool" '$1 == tool { print $2 }' "$root/ci/tools")
  grep -qwF -- "$package" "$root/ci/setup" || fail "ci/setup does not have $package, which $tool is from"
  mv "$bin/$tool" "$work/away" 2>/dev/null || true # where it is missing anyway, it's just as well
  if PATH=$bin timeout 60 "$root/ci/$1" "${@:2}" >"$work/out" 2>&1; then
    fail "$1 is content without $tool"
  fi
  grep -q "^$tool is missing.* package $package:" "$work/out" || fail "$1 without $tool says: $(tail -n 5 "$work/out")"
  [[ ! -e $work/away ]] || mv "$work/away" "$bin/$tool"
}

says_so clang-format-19 check-format
says_so readelf check-layers "$work"
says_so node check-page "$work"
says_so npm check-page "$work"
says_so llvm-symbolizer-19 check-sanitizers address "$work"
says_so clang-19 check-sanitizers thread "$work"
says_so shellcheck check-shell
says_so lowdown check-documents
says_so debootstrap check-fresh
says_so unshare check-fresh
grep -q '^ci/need --all$' "$root/ci/test" || fail "ci/test does not look for what it needs"
while read -r tool _; do
  [[ $tool == \#* ]] || says_so "$tool" need --all
done <"$root/ci/tools"
