#!/bin/bash
# A part can be omitted by option, and the rest is built. A part that lacks a library is an error: parts.sh SOURCES
set -euo pipefail
sources=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "parts: $*" >&2
  exit 1
}

# A pkg-config that does not know the modules in $LACKS.
real=$(command -v pkg-config)
cat >"$work/pkg-config" <<EOF
#!/bin/bash
for word; do
  for module in \${LACKS:-}; do
    [[ \$word != "\$module" ]] || exit 1
  done
done
exec $real "\$@"
EOF
chmod +x "$work/pkg-config"

# configured BUILD LACKS OPTION...
configured() {
  local build=$work/$1 lacks=$2
  shift 2
  LACKS=$lacks cmake -S "$sources" -B "$build" -DHEDDLE_TESTS=OFF -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" "$@" >"$work/out" 2>&1 ||
    fail "cmake $* without ${lacks:-nothing}: $(cat "$work/out")"
  # Warnings are broken into lines.
  tr -s ' \n' ' ' <"$work/out" >"$work/said"
}

says() {
  grep -qF -- "$1" "$work/said" || fail "cmake does not say: $1; it says: $(cat "$work/out")"
}

# has BUILD TARGET... -- TARGET...: these targets and not those
has() {
  local there=1 target
  cmake --build "$work/$1" --target help >"$work/targets"
  shift
  for target; do
    if [[ $target == -- ]]; then
      there=0
    elif grep -q "^\.\.\. $target$" "$work/targets"; then
      ((there)) || fail "there is a target $target"
    else
      ((!there)) || fail "there is no target $target"
    fi
  done
}

configured all ""
has all heddle_library heddle_gomp heddle-convert heddle heddle_jar manuals --

configured no_java "" -DHEDDLE_JAVA=OFF
has no_java heddle_library heddle-convert heddle -- heddle_jvmti_agent heddle_jar

# refused LACKS SAYS OPTION...: what is missing and was not switched off is an error, which names packages and the way out
refused() {
  local lacks=$1 says=$2
  shift 2
  if LACKS=$lacks cmake -S "$sources" -B "$work/refused" -DHEDDLE_TESTS=OFF -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" "$@" >"$work/out" 2>&1; then
    fail "cmake goes on without ${lacks:-$*}"
  fi
  tr -s ' \n' ' ' <"$work/out" >"$work/said"
  says "$says"
  says 'ci/setup'
  rm -rf "$work/refused"
}

refused libmicrohttpd 'heddle view cannot be built: libmicrohttpd (Debian: libmicrohttpd-dev) not found'
refused ncursesw 'the screen of heddle live cannot be built: ncursesw (Debian: libncurses-dev) not found'
refused zlib 'the page of heddle report and heddle view cannot be built: zlib (Debian: zlib1g-dev) not found'
refused "" 'the page of heddle report and heddle view cannot be built: esbuild (Debian: esbuild) not found' -DHEDDLE_ESBUILD=
refused jansson 'heddle cannot be built: jansson (Debian: libjansson-dev) not found'
says '-DHEDDLE_PARTS=converter omits it'
refused "libdw hwloc" 'heddle-convert cannot be built: hwloc (Debian: libhwloc-dev), libdw (Debian: libdw-dev) not found'

configured no_view libmicrohttpd -DHEDDLE_VIEW=OFF
has no_view heddle heddle-convert --

configured converter "libelf jansson kissfft-float zlib libmicrohttpd ncursesw" -DHEDDLE_PARTS=converter
has converter heddle_library heddle-convert -- heddle

# The recorder alone needs none of them; it is built, quickly (not optimized), and installed.
configured recorder "hwloc libdw libelf jansson kissfft-float zlib libmicrohttpd ncursesw" -DHEDDLE_PARTS=recorder -DHEDDLE_JAVA=OFF -DCMAKE_BUILD_TYPE=None
has recorder heddle_library heddle_gomp heddle_user -- heddle-convert heddle heddle_jvmti_agent
cmake --build "$work/recorder" >"$work/out" 2>&1 || fail "the recorder is not built: $(tail -20 "$work/out")"
DESTDIR=$work/root cmake --install "$work/recorder" >"$work/out" 2>&1 || fail "the recorder is not installed: $(cat "$work/out")"
[[ -n $(find "$work/root" -name libheddle-ompt.so) && -n $(find "$work/root" -name libheddle-gomp.so) ]] || fail "the recorder's libraries are not installed"
[[ -z $(find "$work/root" -path '*/bin/*') ]] || fail "programs are installed with the recorder"

echo "parts are omitted as asked, and never in silence"
