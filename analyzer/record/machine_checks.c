#include "analyzer/record/machine_checks.h"

#include "analyzer/record/launch/environment.h"
#include "analyzer/record/launch/kernel_events.h"
#include "analyzer/record/launch/library_search.h"
#include "analyzer/record/launch/machine_counters.h"
#include "analyzer/record/launch/processor_counters.h"
#include "analyzer/record/machine_java.h"
#include "base/count_of.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define USUAL_SPACE (1ull << 30) /* most traces are smaller */

static enum machine_state check_installation(char found[MACHINE_FOUND_SIZE])
{
  static const char *const parts[] = {SIBLING_CONVERT, SIBLING_OMPT_TOOL, SIBLING_GOMP, SIBLING_PTHREAD, SIBLING_CALLS};
  struct environment environment = {0};
  enum machine_state state = MACHINE_GOOD;
  for (size_t i = 0; i < COUNT_OF(parts) && state == MACHINE_GOOD; i++) {
    char *path = sibling_path(parts[i]);
    if (!path || access(path, R_OK) != 0) {
      snprintf(found, MACHINE_FOUND_SIZE, "%s is missing", path ? path : parts[i]);
      state = MACHINE_NOTHING;
    } else if (strcmp(parts[i], SIBLING_GOMP) == 0 && !environment_preload(&environment, path)) {
      snprintf(found, MACHINE_FOUND_SIZE, "LD_PRELOAD cannot hold %s because of its spaces or colons", path);
      state = MACHINE_LESS;
    } else
      snprintf(found, MACHINE_FOUND_SIZE, "libraries and converter are there");
    free(path);
  }
  environment_free(&environment);
  return state;
}

static enum machine_state check_descriptors(char found[MACHINE_FOUND_SIZE])
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    snprintf(found, MACHINE_FOUND_SIZE, "no limit");
    return MACHINE_GOOD;
  }
  snprintf(found, MACHINE_FOUND_SIZE, "ulimit -n is %llu", (unsigned long long)limit.rlim_cur);
  return limit.rlim_cur > MACHINE_LEAST_FILES ? MACHINE_GOOD : MACHINE_NOTHING;
}

static enum machine_state check_space(char found[MACHINE_FOUND_SIZE])
{
  struct statvfs system;
  if (access(".", W_OK) != 0 || statvfs(".", &system) != 0) {
    snprintf(found, MACHINE_FOUND_SIZE, "the working directory cannot be written: %s", strerror(errno));
    return MACHINE_LESS;
  }
  unsigned long long bytes = (unsigned long long)system.f_bavail * system.f_frsize;
  snprintf(found, MACHINE_FOUND_SIZE, "%.1f GB are free in the working directory", (double)bytes / 1e9);
  return bytes >= USUAL_SPACE ? MACHINE_GOOD : MACHINE_LESS;
}

static enum machine_state check_clock(char found[MACHINE_FOUND_SIZE])
{
  enum processor_counters counters = processor_counters_compare();
  snprintf(found, MACHINE_FOUND_SIZE, "%s",
           counters == COUNTERS_AGREE    ? "the processors' time counters agree"
           : counters == COUNTERS_DIFFER ? "the processors' time counters differ, so CLOCK_MONOTONIC is the clock"
                                         : "the processors' time counters could not be compared");
  return counters == COUNTERS_DIFFER ? MACHINE_LESS : MACHINE_GOOD;
}

/* The first line of a file of /proc/sys, or "not there". */
static const char *read_setting(const char *path, char text[32])
{
  FILE *file = fopen(path, "re");
  if (!file || !fgets(text, 32, file))
    snprintf(text, 32, "not there");
  if (file)
    fclose(file);
  text[strcspn(text, "\n")] = '\0';
  return text;
}

static enum machine_state check_perf_events(char found[MACHINE_FOUND_SIZE])
{
  char level[32];
  int refused = kernel_events_refusal();
  read_setting("/proc/sys/kernel/perf_event_paranoid", level);
  snprintf(found, MACHINE_FOUND_SIZE, "%s (perf_event_paranoid is %s)", refused ? strerror(refused) : "allowed", level);
  return refused ? MACHINE_LESS : MACHINE_GOOD;
}

static enum machine_state check_counters(char found[MACHINE_FOUND_SIZE])
{
  struct machine_counter counter;
  unsigned known = 0, usable = 0, kernel = 0;
  for (size_t i = 0; machine_counter_known(i, &counter); i++) {
    machine_counter_try(&counter);
    known += counter.source == COUNTED_BY_PROCESSOR;
    usable += counter.source == COUNTED_BY_PROCESSOR && counter.refused == 0;
    kernel += counter.source != COUNTED_BY_PROCESSOR && counter.refused == 0;
  }
  snprintf(found, MACHINE_FOUND_SIZE, "%u of %u of the processor, %u of the kernel", usable, known, kernel);
  return usable > 0 ? MACHINE_GOOD : MACHINE_LESS;
}

static enum machine_state check_ptrace(char found[MACHINE_FOUND_SIZE])
{
  char scope[32];
  read_setting("/proc/sys/kernel/yama/ptrace_scope", scope);
  snprintf(found, MACHINE_FOUND_SIZE, "ptrace_scope is %s", scope);
  return geteuid() != 0 && (*scope == '2' || *scope == '3') ? MACHINE_LESS : MACHINE_GOOD;
}

/* The first of these names that the loader knows without LD_LIBRARY_PATH. */
static enum machine_state check_library(const char *const *names, char found[MACHINE_FOUND_SIZE])
{
  struct ld_cache cache = ld_cache_read("/etc/ld.so.cache");
  const char *path = NULL;
  for (; *names && !path; names++) {
    size_t at = 0;
    do
      path = ld_cache_find(&cache, *names, &at);
    while (path && access(path, R_OK) != 0);
  }
  snprintf(found, MACHINE_FOUND_SIZE, "%s", path ? path : "not among the loader's libraries");
  ld_cache_free(&cache);
  return path ? MACHINE_GOOD : MACHINE_LESS;
}

static enum machine_state check_libomp(char found[MACHINE_FOUND_SIZE])
{
  static const char *const names[] = {"libomp.so.5", "libomp.so", "libiomp5.so", NULL};
  return check_library(names, found);
}

static enum machine_state check_libgomp(char found[MACHINE_FOUND_SIZE])
{
  static const char *const names[] = {"libgomp.so.1", NULL};
  return check_library(names, found);
}

static enum machine_state check_jdk(char found[MACHINE_FOUND_SIZE])
{
  return machine_java_find(found, MACHINE_FOUND_SIZE) ? MACHINE_GOOD : MACHINE_LESS;
}

static const struct {
  const char *name, *use, *remedy;
  enum machine_state (*check)(char found[MACHINE_FOUND_SIZE]);
} checks[MACHINE_CHECKS] = {
    [MACHINE_INSTALLATION] = {"installation", "any recording",
                              "install Heddle again, under a path without spaces and colons", check_installation},
    [MACHINE_DESCRIPTORS] = {"open files", "any recording", "raise the limit: ulimit -n 1024", check_descriptors},
    [MACHINE_SPACE] = {"space", "traces in the working directory", "record elsewhere: heddle record -o DIR",
                       check_space},
    [MACHINE_CLOCK] = {"clock", "times within a few ns", "nothing: CLOCK_MONOTONIC has the times", check_clock},
    [MACHINE_PERF_EVENTS] = {"perf events", "threads without a processor, and samples",
                             "set /proc/sys/kernel/perf_event_paranoid to 2 or less, or give --sample=timer",
                             check_perf_events},
    [MACHINE_COUNTERS] =
        {"counters", "heddle record --counters",
         "set /proc/sys/kernel/perf_event_paranoid to 1 or less; in a virtual machine, ask its host for counters",
         check_counters},
    [MACHINE_PTRACE] = {"ptrace scope", "what threads in system calls wait for",
                        "set /proc/sys/kernel/yama/ptrace_scope to 1 or less", check_ptrace},
    [MACHINE_LIBOMP] = {"libomp", "programs of clang and flang",
                        "install LLVM's OpenMP (Debian: libomp-19-dev); programs may have their own", check_libomp},
    [MACHINE_LIBGOMP] = {"libgomp", "programs of gcc and gfortran",
                         "install GCC's OpenMP (Debian: libgomp1); programs may have their own", check_libgomp},
    [MACHINE_JDK] = {"JDK", "programs in Java", "install a JDK from 17 on (Debian: openjdk-17-jdk-headless)",
                     check_jdk},
};

enum machine_state machine_check(enum machine_check check, char found[MACHINE_FOUND_SIZE])
{
  return checks[check].check(found);
}

const char *machine_check_name(enum machine_check check)
{
  return checks[check].name;
}

const char *machine_check_use(enum machine_check check)
{
  return checks[check].use;
}

const char *machine_check_remedy(enum machine_check check)
{
  return checks[check].remedy;
}
