#!/bin/bash
# Tries the files of a release in this directory on this system, which is bare and is not kept: in_bare.sh tarball|packages...
set -euo pipefail
cd "$(dirname "$0")"
export OMP_NUM_THREADS=2

fail() {
  echo "in_bare: $*" >&2
  exit 1
}

# all_files: files outside of what programs keep for themselves
all_files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /release -o -path /tmp -o -path /root -o -path /var/cache -o -path /var/log \
    -o -path /var/lib/apt -o -path /var/lib/dpkg \) -prune -o -print | sort
}

# A library whose name is a runtime's waits by itself: these waits are not the program's, whatever glibc is here.
waits_of_runtimes() {
  cat >runtime.c <<'END'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
void WAITS(void)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 30000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_mutex_unlock(&mutex);
}
END
  echo 'void one(void); void two(void); int main(void) { one(); two(); return 0; }' >waits.c
  gcc -g -pthread -shared -fPIC -DWAITS=one runtime.c -o libompbare.so
  gcc -g -pthread -shared -fPIC -DWAITS=two runtime.c -o libother.so
  gcc -g waits.c -o waits -L. -lompbare -lother -Wl,-rpath,"$PWD"
  heddle record -f -o waits.heddle -- ./waits >record.out 2>&1 || fail "heddle record: $(cat record.out)"
  heddle states --json --by region waits.heddle >states.out
  [[ $(grep -c '"pthread condition @runtime.c:[0-9]*"' states.out) -eq 1 ]] || fail "waits in libompbare.so and libother.so: $(grep pthread states.out)"
}

# answers WORD: a program is recorded, and the answer is the line of its loop, in text and in a page
answers() {
  heddle record -f -o run.heddle -- ./triangle >record.out 2>&1 || fail "$1: heddle record: $(cat record.out)"
  heddle why run.heddle >why.out 2>&1 || fail "$1: heddle why: $(cat why.out)"
  head -2 why.out
  grep -q "triangle.c:$line" why.out || fail "$1: heddle why does not name line $line: $(head -5 why.out)"
  heddle report -f run.heddle -o run.html >report.out 2>&1 || heddle report run.heddle -o run.html >report.out 2>&1 || fail "$1: heddle report: $(cat report.out)"
  grep -q '</html>' run.html || fail "$1: the report is no page"
  heddle doctor >doctor.out 2>&1 || [[ $? -eq 1 ]] || fail "$1: heddle doctor: $(cat doctor.out)"
  heddle states run.heddle | grep -q 'RUN' || fail "$1: heddle states shows nothing"
  rm -rf run.heddle run.html
}

tarball() {
  local name
  name=$(basename heddle-*-x86_64.tar.gz .tar.gz)
  tar xf "$name.tar.gz"
  PATH=$PWD/$name/bin:$PATH answers "the tarball"
  PATH=$PWD/$name/bin:$PATH waits_of_runtimes
  for library in "$name"/lib/libheddle*.so; do
    newest=$(objdump -T "$library" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
    [[ $(printf '%s\nGLIBC_2.17\n' "$newest" | sort -V | tail -1) == GLIBC_2.17 ]] || fail "$library needs $newest"
  done
  rm -r "$name"
}

# newer FILE DIRECTORY: the same package with a higher version
newer() {
  rm -rf unpacked
  dpkg-deb -R "$1" unpacked
  sed -i -e "s/^Version: $version\$/Version: $version+1/" -e "s/(= $version)/(= $version+1)/g" unpacked/DEBIAN/control
  dpkg-deb -b unpacked "$2" >/dev/null
}

packages() {
  local version package
  version=$(dpkg-deb -f heddle_*.deb Version)
  apt-get install -y --no-install-recommends libdw1 libhwloc15 libjansson4 libkissfft-float131 libmicrohttpd12 libncursesw6 \
    libopen-trace-format2-10 >apt.log 2>&1 || fail "apt: $(tail -5 apt.log)"
  all_files >before
  apt-get install -y --no-install-recommends ./*.deb >apt.log 2>&1 || fail "apt: $(tail -5 apt.log)"
  answers "the packages"
  [[ -e /usr/share/doc/heddle/docs/getting-started.md ]] || fail "the packages have no guide"
  mkdir newer
  for package in *.deb; do
    newer "$package" newer
  done
  apt-get install -y --no-install-recommends ./newer/*.deb >apt.log 2>&1 || fail "the upgrade: $(tail -5 apt.log)"
  [[ $(dpkg-query -W -f '${Version}' heddle) == "$version+1" ]] || fail "there was no upgrade"
  answers "the upgraded packages"
  apt-get purge -y '*heddle*' >apt.log 2>&1 || fail "apt purge: $(tail -5 apt.log)"
  all_files >after
  diff before after >left || fail "uninstalling leaves or takes: $(cat left)"
}

{ apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev binutils; } >apt.log 2>&1 || fail "apt: $(tail -5 apt.log)"
line=$(grep -n '#pragma omp' triangle.c | head -1 | cut -d: -f1)
gcc -O2 -g -fopenmp triangle.c -o triangle -lm
for what; do
  "$what"
done
