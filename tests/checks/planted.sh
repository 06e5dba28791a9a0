#!/bin/bash
# ci/check-layers, ci/check-names, ci/check-opens and ci/check-format find what is planted in a copy of the sources, and nothing else.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "planted: $*" >&2
  exit 1
}

(cd "$root" && find ci base common ompt-tool fortran-shim jvmti-agent user-events pthread-layer calls-layer libheddle otf2-convert analyzer tests docs \
  \( -name node_modules -prune \) -o -type f \( -name '*.[ch]' -o -name '*.md' -o -path 'ci/*' \) -print0 |
  tar -c --null -T -) | tar -x -C "$work"
for check in check-layers check-names check-opens; do
  "$work/ci/$check" || fail "$check is not content with the sources as they are"
done

# finds FILE LINE SAYS: with the line at the end of the file, the check will fail and say so.
# What is planted for one check is looked for in one run, by found CHECK.
planted=()
finds() {
  local file=$work/$1
  [[ -e $file.kept ]] || cp "$file" "$file.kept"
  printf '%s\n' "$2" >>"$file"
  planted+=("$3")
}

found() {
  local check=$1 says kept
  "$work/ci/$check" >"$work/out" && fail "$check finds nothing of ${planted[*]}"
  for says in "${planted[@]}"; do
    grep -qF -- "$says" "$work/out" || fail "$check does not say: $says; it says: $(cat "$work/out")"
  done
  [[ $(wc -l <"$work/out") == "${#planted[@]}" ]] || fail "$check says more or less than ${planted[*]}: $(cat "$work/out")"
  find "$work" -name '*.kept' | while read -r kept; do
    mv "$kept" "${kept%.kept}"
  done
  planted=()
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

# Directions.
finds analyzer/trace/resolve.c '#include "common/raw/raw_trace.h"' 'must not use common/raw/raw_trace.h'
finds analyzer/trace/resolve.c '#include "analyzer/trace/pass/pass.h"' 'analyzer/trace must not use analyzer/trace/pass/pass.h'
finds analyzer/trace/states/state.c '#include "analyzer/table.h"' 'analyzer/trace/states must not use analyzer/table.h'
found check-layers
finds analyzer/trace/pass/lanes.c '#include "analyzer/models/json_file/json_file.h"' 'analyzer/trace/pass must not use analyzer/models/json_file/json_file.h'
finds analyzer/analyses/locks/locks.c '#include "analyzer/analyses/imbalance/imbalance.h"' 'analyzer/analyses/locks must not use analyzer/analyses/imbalance/imbalance.h'
finds analyzer/models/markov/model.c '#include "analyzer/report/bundle.h"' 'analyzer/models/markov must not use analyzer/report/bundle.h'
finds analyzer/command/print/text.c '#include "analyzer/command/command.h"' 'analyzer/command/print must not use analyzer/command/command.h'
finds analyzer/record/launch/program_libraries.c '#include "analyzer/command/command.h"' 'analyzer/record/launch must not use analyzer/command/command.h'
finds analyzer/analyses/states/info.c '#include "common/process/text.h"' 'must not use common/process/text.h'
finds analyzer/analyses/locks/locks.c '#include "otf2-convert/timeline/constructs.h"' 'must not use otf2-convert/timeline/constructs.h'
finds analyzer/command/print/text.c '#include "common/raw/archive_names.h"' 'must not use common/raw/archive_names.h'
finds ompt-tool/tool.c '#include "user-events/include/heddle.h"' 'ompt-tool must not use user-events/include/heddle.h'
finds ompt-tool/tool.c '#include <otf2/otf2.h>' 'ompt-tool runs inside programs and must not use <otf2/otf2.h>'
finds ompt-tool/tool.c '#include "tool.h"' 'write "tool.h" with its folder'
# A folder's private headers.
finds analyzer/analyses/locks/locks.c '#include "analyzer/trace/loader.h"' 'analyzer/trace/loader.h is private to analyzer/trace'
finds analyzer/analyses/imbalance/command.c '#include "analyzer/analyses/locks/holders.h"' 'analyzer/analyses/locks/holders.h is private to analyzer/analyses/locks'
finds otf2-convert/main.c '#include "common/recorder/chunk.h"' 'common/recorder/chunk.h is private to common'
found check-layers
# Circles.
finds analyzer/trace/states/state.h '#include "analyzer/trace/states/machine.h"' 'these include each other: analyzer/trace/states/machine analyzer/trace/states/state'
found check-layers
finds analyzer/trace/states/state.c '#include "analyzer/trace/states/machine.h"' 'these include each other: analyzer/trace/states/machine analyzer/trace/states/state'
found check-layers
# The checker's own lists: directions that go back, and a circle that is none.
finds_without check-layers ci/check-layers 's|^    TRACE: ($|&{"analyzer/report"} \||' 'analyzer/trace may use analyzer/report, which stands below it'
finds_without check-layers ci/check-layers 's|^CIRCLES = \[$|&"analyzer/trace/states/machine analyzer/trace/states/state",|' 'no longer a circle, take it off the list: analyzer/trace/states/machine analyzer/trace/states/state'
# A folder that nobody has an entry for.
mkdir "$work/analyzer/planted"
echo '#include "base/error.h"' >"$work/analyzer/planted/planted.c"
"$work/ci/check-layers" >"$work/out" && fail "check-layers does not find a new folder"
grep -qF 'no entry says what analyzer/planted may include' "$work/out" || fail "check-layers says of a new folder: $(cat "$work/out")"
rm -r "$work/analyzer/planted"

# shellcheck disable=SC2016 # not the shell's
for text in HEDDLE::TID HEDDLE::NEW '!$omp task @' '//omp' 'schedule: ' 'state: gc' 'omp_set_lock' 'object class' 'monitor held' \
  'first iteration' 'never started' joined; do
  finds analyzer/analyses/locks/holders.c "static const char planted[] = \"$text\";" "\"$text\" is a name of the archive"
  finds otf2-convert/describe/describe.c "static const char planted[] = \"$text\";" "\"$text\" is a name of the archive"
done
finds analyzer/analyses/states/info.c 'bool planted = strcmp(value, "worker") == 0;' '"worker" is a name of the archive'
finds docs/otf2.md 'HEDDLE::NEW' 'HEDDLE::NEW is not in common/raw/archive_names.h'
# shellcheck disable=SC2016
finds docs/otf2.md '`!$omp new` alone' '`!$omp new` is not in common/raw/archive_names.h'
found check-names # a type belongs to the names before it
# shellcheck disable=SC2016
finds docs/otf2.md '`new` (UINT64)' 'the attribute `new` (UINT64)'
# shellcheck disable=SC2016
finds docs/otf2.md '`park` (LOOP)' '`park` has the role THREAD_WAIT, not LOOP'
found check-names
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/HEDDLE::CWD/HEDDLE::EXE/' '`HEDDLE::CWD` is missing'
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/`joined`/joined/' '`joined` is missing'
# shellcheck disable=SC2016
finds_without check-names docs/otf2.md 's/`inside` (UINT8)/`inside` (UINT64)/' 'the attribute `inside` (UINT64)'

# shellcheck disable=SC2016
finds_without check-names common/raw/raw_trace.h '/ chunks-lost:/d' 'a key `chunks-lost`, of which this says nothing'
# shellcheck disable=SC2016
finds_without check-names common/process/process_file.c 's/"limit"/"bound"/' 'no recorder writes the key `limit`'
# shellcheck disable=SC2016
finds_without check-names otf2-convert/plan/process_info.c 's/"chunks-lost"/"chunks-gone"/' 'the key `chunks-gone` is not in common/raw/raw_trace.h'

# Opens.
finds analyzer/analyses/states/info.c 'bool planted = chown(path, user, group) == 0;' 'chown( gives a file away'
finds analyzer/analyses/states/info.c 'FILE *planted = fopen(path, "we");' 'fopen( may open for writing'
finds analyzer/analyses/states/info.c 'FILE *planted_too = fopen(path, mode);' 'fopen( may open for writing'
finds common/process/session.c 'int planted = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);' 'O_CREAT needs O_EXCL or O_NOFOLLOW'
found check-opens
finds_without check-opens analyzer/record/record_directory.c 's/fchown(directory->fd, user, group)/true/' 'take it off the list'

# Format: of each kind of file.
cp "$root/.clang-format" "$work"
misformatted() {
  local file=$work/$1 text=$2 says=$3
  printf '%b' "$text" >"$file"
  "$work/ci/check-format" "$1" >"$work/out" 2>&1 && fail "check-format does not find this in $1: $text"
  grep -qF -- "$says" "$work/out" || fail "check-format says of $text in $1: $(cat "$work/out")"
  rm "$file"
}
misformatted planted.c 'int  a;\n' 'code should be clang-formatted'
misformatted fortran-shim/planted.h 'int  a;\n' 'code should be clang-formatted'
misformatted planted.cpp 'int  a;\n' 'code should be clang-formatted'
misformatted planted.proto 'message  A {}\n' 'code should be clang-formatted'
for kind in java ts mjs f90 cmake sh md; do
  misformatted "planted.$kind" 'a \n' "planted.$kind:1: a blank at the end of the line"
  misformatted "planted.$kind" 'a\n\tb\n' "planted.$kind:2: a tab"
  misformatted "planted.$kind" 'a' "planted.$kind: ends with no new line"
done
misformatted planted.py 'a = 1 +\n' 'planted.py:1: invalid syntax'
misformatted ci/planted '#!/bin/bash\n\ta\n' 'ci/planted:2: a tab'
"$work/ci/check-format" ci/check-layers docs/otf2.md analyzer/heddle.c fortran-shim/runtime.c || fail "check-format is not content with good files"
