#!/bin/bash
# ci/check-documents finds names of files that do not exist, planted in a copy of the sources, and nothing else.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "planted_documents: $*" >&2
  exit 1
}

tar -C "$root" -c --exclude='./build*' --exclude=./.git --exclude=node_modules --exclude='./tests/outputs/expected/*' \
  --exclude='./tests/outputs/archives/*' --exclude='./tests/fuzz/corpus/*/*' . | tar -x -C "$work"
check=$work/ci/check-documents
"$check" || fail "check-documents is not content with the sources as they are"

# finds DOCUMENT LINE NAME: with the line at its end, the check says once that there is no such file, and fails.
finds() {
  local document=$work/$1 line=$2 name=$3
  cp "$document" "$work/kept"
  printf '\n%s\n' "$line" >>"$document"
  "$check" >"$work/out" && fail "this is not found in $1: $line"
  grep -qxF "${1}:$(wc -l <"$document"): there is no $name" "$work/out" || fail "of $line in $1 it is said: $(cat "$work/out")"
  [[ $(wc -l <"$work/out") == 1 ]] || fail "too much is said of $line in $1: $(cat "$work/out")"
  mv "$work/kept" "$document"
}

finds README.md 'Read [this](docs/gone.md).' docs/gone.md
# shellcheck disable=SC2016 # not the shell's
finds CONTRIBUTING.md 'See `common/gone.h`.' common/gone.h
finds docs/architecture.md 'See ci/gone, which checks it.' ci/gone
finds common/README.md 'It is in gone.c, of all files.' gone.c
finds analyzer/exchange/export/README.md 'Run tests/end-to-end/gone.py NAME.' tests/end-to-end/gone.py
finds docs/heddle-states.1.md 'The table is in analyzer/states/gone.c.' analyzer/states/gone.c
finds docs/otf2.md 'See [the header](../common/gone.h).' ../common/gone.h
finds analyzer/README.md '    gone      what is not there' gone
finds analyzer/README.md '    trace/, gone.h    what is not there' gone.h
finds analyzer/exchange/export/README.md '    sink, gone   what is not there' gone
finds otf2-convert/README.md $'| file | what |\n|---|---|\n| plan, gone | what is not there |' gone

# Words that man would not show as they are written.
shows() {
  local page=$work/docs/heddle-states.1.md
  cp "$page" "$work/kept"
  printf '\n%s\n' "$1" >>"$page"
  "$check" >"$work/out" && fail "this is not found: $1"
  grep -qF "docs/heddle-states.1.md: man does not show $2 as it is" "$work/out" || fail "of $1 it is said: $(cat "$work/out")"
  mv "$work/kept" "$page"
}
shows 'See HEDDLE_MAX_SIZE.' HEDDLE_MAX_SIZE
shows 'It is 2^n at most.' '2^n'
printf '\n%s\n' 'See HEDDLE\_MAX\_SIZE and 2\^n.' >>"$work/docs/heddle-states.1.md"
"$check" || fail "words with a backslash before _ and ^ are refused"

# A file that is gone is missed where it was named.
rm "$work/analyzer/exchange/export/"{sink.c,sink.h,paje.c}
"$check" >"$work/out" && fail "files that are gone are not missed"
grep -q '^analyzer/exchange/export/README.md:[0-9]*: there is no sink$' "$work/out" || fail "sink.c is gone: $(cat "$work/out")"
grep -q '^analyzer/exchange/export/README.md:[0-9]*: there is no paje.c$' "$work/out" || fail "paje.c is gone: $(cat "$work/out")"

# A manual page that docs/README.md does not have.
cp "$work/docs/heddle-locks.1.md" "$work/docs/heddle-unlisted.1.md"
"$check" >"$work/out" && fail "a page without a link is not found"
grep -qxF 'docs/README.md: there is no link to docs/heddle-unlisted.1.md' "$work/out" || fail "a page without a link: $(cat "$work/out")"
