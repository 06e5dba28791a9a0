#!/bin/bash
# A part can be omitted, by option or because a library is missing, and the rest is built: parts.sh SOURCES
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
! grep -q "left out" "$work/said" || fail "something is left out where nothing is missing: $(cat "$work/out")"

configured no_java "" -DHEDDLE_JAVA=OFF
has no_java heddle_library heddle-convert heddle -- heddle_jvmti_agent heddle_jar

configured no_microhttpd libmicrohttpd
says 'heddle view is left out: libmicrohttpd (Debian: libmicrohttpd-dev) not found'
has no_microhttpd heddle heddle-convert --

configured no_ncursesw ncursesw
says 'the screen of heddle live is left out: ncursesw (Debian: libncurses-dev) not found'
has no_ncursesw heddle heddle-convert --

configured no_zlib zlib
says 'heddle report and heddle view are left out: zlib (Debian: zlib1g-dev) not found'

configured no_esbuild "" -DHEDDLE_ESBUILD=
says 'heddle report and heddle view are left out: esbuild (Debian: esbuild) not found'
has no_esbuild heddle heddle-convert --

configured no_jansson jansson
says 'heddle is left out: jansson (Debian: libjansson-dev) not found'
has no_jansson heddle-convert heddle_library -- heddle

configured no_dw "libdw hwloc"
says 'heddle-convert and heddle are left out: hwloc (Debian: libhwloc-dev), libdw (Debian: libdw-dev) not found'
has no_dw heddle_library heddle_gomp -- heddle-convert heddle

configured converter "libelf jansson kissfft-float zlib libmicrohttpd ncursesw" -DHEDDLE_PARTS=converter
has converter heddle_library heddle-convert -- heddle
! grep -q "left out" "$work/said" || fail "what nobody asked for is left out: $(cat "$work/out")"

# The recorder alone needs none of them; it is built, quickly (not optimized), and installed.
configured recorder "hwloc libdw libelf jansson kissfft-float zlib libmicrohttpd ncursesw" -DHEDDLE_PARTS=recorder -DHEDDLE_JAVA=OFF -DCMAKE_BUILD_TYPE=None
! grep -q "left out" "$work/said" || fail "what nobody asked for is left out: $(cat "$work/out")"
has recorder heddle_library heddle_gomp heddle_user -- heddle-convert heddle heddle_jvmti_agent
cmake --build "$work/recorder" >"$work/out" 2>&1 || fail "the recorder is not built: $(tail -20 "$work/out")"
DESTDIR=$work/root cmake --install "$work/recorder" >"$work/out" 2>&1 || fail "the recorder is not installed: $(cat "$work/out")"
[[ -n $(find "$work/root" -name libheddle-ompt.so) && -n $(find "$work/root" -name libheddle-gomp.so) ]] || fail "the recorder's libraries are not installed"
[[ -z $(find "$work/root" -path '*/bin/*') ]] || fail "programs are installed with the recorder"

# Where everything is to be tested, what is missing is an error.
if LACKS=zlib cmake -S "$sources" -B "$work/tested" -DHEDDLE_ALL_TESTS=ON -DPKG_CONFIG_EXECUTABLE="$work/pkg-config" >"$work/out" 2>&1; then
  fail "HEDDLE_ALL_TESTS=ON goes on without zlib"
fi
tr -s ' \n' ' ' <"$work/out" | grep -qF 'would be left out: zlib (Debian: zlib1g-dev) not found' || fail "HEDDLE_ALL_TESTS=ON: $(cat "$work/out")"
echo "parts are left out as they should be"
