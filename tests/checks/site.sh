#!/bin/bash
# ci/site makes a page of each document, and finds dead links, planted in a copy of the documents.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "site: $*" >&2
  exit 1
}

# Links lead to sources, too.
tar -C "$root" -c --exclude='./build*' --exclude=./.git --exclude=node_modules --exclude='./tests/outputs/expected/*' \
  --exclude='./tests/outputs/archives/*' --exclude='./tests/fuzz/corpus/*/*' . | tar -x -C "$work"
"$work/ci/site" "$work/site" >"$work/out" || fail "there are dead links: $(cat "$work/out")"
for page in index.html heddle-why.1.html guides/locks.html troubleshooting.html; do
  [[ -s $work/site/$page ]] || fail "there is no $page"
done
grep -q '"to": "guides/locks.html"' "$work/site/pages.js" || fail "the search does not know the guides"

# finds LINK SAYS
finds() {
  cp "$work/docs/guides/locks.md" "$work/kept"
  printf '\nSee [this](%s).\n' "$1" >>"$work/docs/guides/locks.md"
  ! "$work/ci/site" "$work/site" >"$work/out" || fail "this link is not found: $1"
  grep -qF "$2" "$work/out" || fail "about $1 it says: $(cat "$work/out")"
  mv "$work/kept" "$work/docs/guides/locks.md"
}
finds gone.md 'docs/guides/locks.md: there is no gone.md'
finds ../why.md#gone 'why.html has no heading #gone'
echo "the site has no dead links, and finds planted ones"
