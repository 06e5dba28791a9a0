#!/bin/bash
# ci/check-style finds what is planted in files of each kind, and nothing else.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ci" "$work/docs"
cp "$root/ci/check-style" "$work/ci"
cd "$work"

fail() {
  echo "planted_style: $*" >&2
  exit 1
}

# allows FILE TEXT: a file with this text is fine.
allows() {
  printf '%b\n' "$2" >"$1"
  ci/check-style "$1" >out || fail "in $1 this is refused: $2: $(cat out)"
  rm "$1"
}

# finds FILE LINE SAYS TEXT: in a file with this text, the check finds one fault, at the line.
finds() {
  printf '%b\n' "$4" >"$1"
  ci/check-style "$1" >out && fail "in $1 this is not found: $4"
  grep -qF -- "$1:$2: $3" out || fail "$1 with $4: expected $2: $3, printed: $(cat out)"
  [[ $(wc -l <out) == 1 ]] || fail "$1 with $4: too much is found: $(cat out)"
  rm "$1"
}

words() { # words N: a sentence of N words, without its full stop
  local i
  printf 'Word'
  for ((i = 1; i < $1; i++)); do
    printf ' word'
  done
}
fine=$(words 25) long=$(words 26) half=$(words 13)
says='26 words in a sentence: Word word word'

# What a sentence is, in a document.
allows docs/a.md "$fine. $fine! $fine?"
finds docs/a.md 1 "$says" "$long."
finds docs/a.md 3 "$says" "# Title\n\n$long."
finds docs/a.md 3 "$says" "$fine.\n\n$half\n$half."
allows docs/a.md "$half\n\n$half"
allows docs/a.md "- $half\n- $half\n\n1. $half\n2. $half"
finds docs/a.md 2 "$says" "- $half\n- $half\n  $half"
finds docs/a.md 3 "$says" "- $half\n\n  $half\n  $half"
allows docs/a.md "**--option**\n:   $half\n    **b**"
finds docs/a.md 2 "$says" "**--option**\n:   $half\n    $half"
finds docs/a.md 4 "$says" "**--option**\n:   $half\n\n    $half\n    $half"
allows docs/a.md "| a | b |\n|---|---|\n| $half | $half |"
finds docs/a.md 3 "$says" "| a | b |\n|---|---|\n| a | $long |"
allows docs/a.md "Text:\n\n    $long\n\n\`\`\`\n$long\n\`\`\`"
allows docs/a.md "- Text:\n\n      $long"
allows docs/a.md "$half, e.g. $(words 7), etc. and so on."
finds docs/a.md 1 '27 words' "$half, e.g. $half."
# Code, commands and quotations are one word.
allows docs/a.md "$(words 20) \`$half\` **$half** \"$half\" [a](b.md) https://a.b/c_d."
finds docs/a.md 1 '26 words' "$(words 22) \`a\` **b** \"c\" [d](e.md)."

# Words.
finds docs/a.md 1 '"tells": write report' 'The runtime tells the end.'
finds docs/a.md 2 '"told": write report' 'The runtime is\ntold the end.'
finds docs/a.md 1 '"left out": write omit' 'Two tasks are left out.'
finds docs/a.md 1 '"Thinned": write omitted' 'Thinned tasks are counted.'
allows docs/a.md 'The state UNMEASURED, `tell`, **left out** and "thinned".'
finds docs/a.md 1 '"gives up": write release' 'The thread gives up the lock.'
finds docs/a.md 1 '"those of": write the noun' 'The times are those of the thread.'
finds docs/a.md 1 '"of which": write the noun' 'Ten locks, of which two wait.'
finds docs/a.md 1 '"the one that": write the noun' 'The thread is the one that has the lock.'
finds docs/a.md 1 '"Of ten locks, two wait.": the subject first' 'Of ten locks, two wait.'
finds docs/a.md 1 '"of ten, two wait.": the subject first' 'Locks: of ten, two wait.'
allows docs/a.md 'Of course. The number of locks: of this program alone.'
finds docs/a.md 3 '"told": write report' '| not | but |\n|---|---|\n| he was told | he is told |'
allows docs/a.md '| not | but |\n|---|---|\n| he was told | it is reported |'

# Comments, and texts.
allows a.c "/* $half */\n/* $half */\nint a; /* $half */"
finds a.c 2 "$says" "/*\n * $half\n * $half */"
finds a.c 2 "$says" "int a;\n/* $half\n * $half */"
allows a.c "/*\n * - $half\n * - $half\n *\n * $half\n *\n *     $long\n */"
allows a.c "/*\n * NAME      $half\n *           $(words 12)\n * OTHER     $half */"
finds a.c 2 "$says" "/*\n * NAME      $half\n *           $half */"
finds a.c 2 '"tells"' 'int a;\nint b; /* tells when */'
finds a.c 3 '"tells"' '#include "tells a word"\nint a;\nconst char *c = "who tells it";'
finds a.c 1 "$says" "puts(\"$half \"\n     \"$half\");"
allows a.c "puts(\"$half\\\\\\\\n\"\n     \"$half\");"
allows a.c "int tells; f(\"told\", '\"', \"%s tells\");"
allows a.c 'f("modules: 1 20 300 told");'
finds a.c 1 '"told"' 'f("modules: they are told");'
finds a.c 1 '"please": no apologies' 'puts("try this again please");'
finds a.h 1 'a header begins with a noun or a verb, not "Whether"' '/* Whether it is on. */'
finds a.h 2 'a header begins with a noun or a verb, not "What"' '/*\n * What it is. */'
allows a.h '/* The stack. */\n/* Whether it is on. */'
allows a.c '/* Whether it is on. */'
finds a.py 2 '"told"' 'a = "told"  # here\n# he is told\nb = """told"""'
finds a.py 1 "$says" "# $half\n# $half\na = 1\n# $half"
finds a.py 3 "$says" "def f():\n    \"\"\"Word.\n    $half\n    $half\n    \"\"\""
finds a.sh 2 '"told"' "echo '# told'\n# he is told\ncat <<END\n # told\nEND"
printf '#!/bin/bash\n# It tells.\n' >ci/script
printf '# It tells.\n' >ci/data
chmod +x ci/script
ci/check-style >out && fail "all files: nothing is found"
[[ $(cat out) == 'ci/script:2: "tells": '* ]] || fail "all files: $(cat out)"
ci/check-style docs || fail "a folder without a fault is refused"
ci/check-style gone 2>out && fail "a folder that does not exist is allowed"
grep -qF 'check-style: gone: no such file or folder' out || fail "a folder that does not exist: $(cat out)"
