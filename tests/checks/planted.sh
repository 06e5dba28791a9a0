#!/bin/bash
# ci/check-layers and ci/check-names find what is planted in a copy of the sources, and nothing else.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "planted: $*" >&2
  exit 1
}

(cd "$root" && find ci common ompt-tool fortran-shim jvmti-agent user-events loaded otf2-convert analyzer docs \
  \( -name node_modules -prune \) -o -type f \( -name '*.[ch]' -o -name '*.md' -o -path 'ci/*' \) -print0 |
  tar -c --null -T -) | tar -x -C "$work"
for check in check-layers check-names; do
  "$work/ci/$check" || fail "$check is not content with the sources as they are"
done

# finds CHECK FILE LINE SAYS: with the line at the end of the file, the check fails and says so.
finds() {
  local check=$1 file=$work/$2 line=$3 says=$4
  cp "$file" "$work/kept"
  printf '%s\n' "$line" >>"$file"
  "$work/ci/$check" >"$work/out" && fail "$check does not find this in $2: $line"
  grep -qF -- "$says" "$work/out" || fail "$check says of $line in $2: $(cat "$work/out")"
  [[ $(wc -l <"$work/out") == 1 ]] || fail "$check says more of $line in $2: $(cat "$work/out")"
  mv "$work/kept" "$file"
}

# likewise SED: with that done to the file
finds_without() {
  local check=$1 file=$work/$2 change=$3 says=$4
  cp "$file" "$work/kept"
  sed -i "$change" "$file"
  "$work/ci/$check" >"$work/out" && fail "$check does not find $change in $2"
  grep -qF -- "$says" "$work/out" || fail "$check says of $change in $2: $(cat "$work/out")"
  mv "$work/kept" "$file"
}

finds check-layers analyzer/trace/resolve.c '#include "common/raw_trace.h"' 'must not use common/raw_trace.h'
finds check-layers analyzer/commands/info.c '#include "common/text.h"' 'must not use common/text.h'
finds check-layers analyzer/locks/locks.c '#include "otf2-convert/constructs.h"' 'must not use otf2-convert/constructs.h'
finds check-layers analyzer/print/text.c '#include "common/archive_names.h"' 'must not use common/archive_names.h'

for text in HEDDLE::TID HEDDLE::NEW '!$omp task @' '//omp' 'schedule: ' 'state: gc' 'omp_set_lock' 'object class' 'monitor held' \
  'first iteration' 'never started' joined; do
  finds check-names analyzer/locks/table.c "static const char planted[] = \"$text\";" "\"$text\" is a name of the archive"
  finds check-names otf2-convert/describe.c "static const char planted[] = \"$text\";" "\"$text\" is a name of the archive"
done
# shellcheck disable=SC2016 # not the shell's
finds check-names analyzer/commands/info.c 'bool planted = strcmp(value, "worker") == 0;' '"worker" is a name of the archive'
finds check-names docs/otf2.md 'HEDDLE::NEW' 'HEDDLE::NEW is not in common/archive_names.h'
# shellcheck disable=SC2016
finds check-names docs/otf2.md '`!$omp new`' '`!$omp new` is not in common/archive_names.h'
# shellcheck disable=SC2016
finds check-names docs/otf2.md '`new` (UINT64)' 'the attribute `new` (UINT64)'
# shellcheck disable=SC2016
finds check-names docs/otf2.md '`park` (LOOP)' '`park` has the role THREAD_WAIT, not LOOP'
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/HEDDLE::CWD/HEDDLE::EXE/' '`HEDDLE::CWD` is missing'
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/`joined`/joined/' '`joined` is missing'
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/`inside` (UINT8)/`inside` (UINT64)/' 'the attribute `inside` (UINT64)'

# shellcheck disable=SC2016
finds_without check-names common/raw_trace.h '/ chunks-lost:/d' 'a key `chunks-lost`, of which this says nothing'
# shellcheck disable=SC2016
finds_without check-names common/process_file.c 's/"limit"/"bound"/' 'no recorder writes the key `limit`'
# shellcheck disable=SC2016
finds_without check-names otf2-convert/process_info.c 's/"chunks-lost"/"chunks-gone"/' 'the key `chunks-gone` is not in common/raw_trace.h'
