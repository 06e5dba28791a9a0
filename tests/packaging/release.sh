#!/bin/bash
# The files of a release work in bare systems: release.sh RELEASE [CODENAME[=MIRROR]...]
# RELEASE: the directory that ci/release made. The tarball of programs is tried in each system, the packages in Debian 12. Needs root
# and a network, so ctest does not run it. HEDDLE_ROOTS: a directory that keeps the bare systems for the next time.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
release=$(cd "$1" && pwd)
shift
(($#)) || set -- bullseye bookworm trixie
work=$(mktemp -d /var/tmp/heddle-roots-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
roots=${HEDDLE_ROOTS:-$work}

fail() {
  echo "release: $*" >&2
  exit 1
}

(cd "$release" && sha256sum --quiet -c SHA256SUMS) || fail "the sums are wrong"
for system; do
  codename=${system%%=*}
  mirror=${system#"$codename"}
  bare=$roots/$codename
  [[ -e $bare/etc/apt/sources.list ]] || "$here/../../ci/bare" make "$codename" "$bare" ${mirror:+"${mirror#=}"} || fail "there is no bare $codename"
  rm -rf --one-file-system "$work/root"
  cp -a "$bare" "$work/root"
  mkdir "$work/root/release"
  cp "$release"/* "$here/in_bare.sh" "$here/../questions/triangle.c" "$here/../questions/work.h" "$work/root/release/"
  what=(tarball)
  [[ $codename != bookworm ]] || what+=(packages)
  DEBIAN_FRONTEND=noninteractive "$here/../../ci/bare" run "$work/root" "cd /release; ./in_bare.sh ${what[*]}" || fail "$codename: see above"
  echo "release: works on $codename"
done
