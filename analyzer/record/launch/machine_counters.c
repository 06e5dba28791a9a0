#include "analyzer/record/launch/machine_counters.h"

#include "base/count_of.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CACHE(cache, operation, result)                                                                                \
  (PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16)
#define SUMS(name, sums, what) {name, what, COUNTED_BY_KERNEL_SUMS, PERF_TYPE_SOFTWARE, 0, sums, false, false, 0}
#define MACHINE_COUNTERS_HARDWARE(name, event, what)                                                                   \
  {name, what, COUNTED_BY_PROCESSOR, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, NULL, false, false, 0}
#define CACHED(name, event, what) {name, what, COUNTED_BY_PROCESSOR, PERF_TYPE_HW_CACHE, event, NULL, false, false, 0}

static const struct machine_counter machine_counters_known[] = {
    MACHINE_COUNTERS_HARDWARE("instructions", INSTRUCTIONS, "instructions that were executed"),
    MACHINE_COUNTERS_HARDWARE("cycles", CPU_CYCLES, "cycles of the processor"),
    MACHINE_COUNTERS_HARDWARE("ref-cycles", REF_CPU_CYCLES, "cycles at the processor's nominal frequency"),
    MACHINE_COUNTERS_HARDWARE("branches", BRANCH_INSTRUCTIONS, "branches that were executed"),
    MACHINE_COUNTERS_HARDWARE("branch-misses", BRANCH_MISSES, "branches that the processor had guessed wrong"),
    MACHINE_COUNTERS_HARDWARE("cache-references", CACHE_REFERENCES, "accesses to the last level of the cache"),
    MACHINE_COUNTERS_HARDWARE("cache-misses", CACHE_MISSES, "the part of these that went on to memory"),
    MACHINE_COUNTERS_HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles without new instructions"),
    MACHINE_COUNTERS_HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles in which instructions waited"),
    CACHED("L1-dcache-loads", CACHE(L1D, READ, ACCESS), "loads"),
    CACHED("L1-dcache-load-misses", CACHE(L1D, READ, MISS), "loads that were not in the first level"),
    CACHED("LLC-loads", CACHE(LL, READ, ACCESS), "loads from the last level"),
    CACHED("LLC-load-misses", CACHE(LL, READ, MISS), "loads that were not in the last level"),
    CACHED("LLC-misses", CACHE(LL, READ, MISS), "the same"),
    CACHED("dTLB-load-misses", CACHE(DTLB, READ, MISS), "loads whose page's address was not in the table"),
    SUMS("task-clock", "c:0", "processor time, ns"),
    SUMS("page-faults", "u:0", "first accesses to pages of memory"),
    SUMS("minor-faults", "u:1", "the part of these without the disk"),
    SUMS("major-faults", "u:2", "the part of these with the disk"),
    SUMS("context-switches", "u:3", "how often the thread lost its processor or gave it up"),
    {"cpu-migrations", "how often the thread changed its processor", COUNTED_BY_KERNEL_EVENT, PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_CPU_MIGRATIONS, NULL, false, false, 0},
    {"alignment-faults", "accesses that the kernel had to repair", COUNTED_BY_KERNEL_EVENT, PERF_TYPE_SOFTWARE,
     PERF_COUNT_SW_ALIGNMENT_FAULTS, NULL, false, false, 0},
};

bool machine_counter_known(size_t n, struct machine_counter *counter)
{
  if (n < COUNT_OF(machine_counters_known))
    *counter = machine_counters_known[n];
  return n < COUNT_OF(machine_counters_known);
}

static int open_one(const struct machine_counter *counter, int leader)
{
  struct perf_event_attr attr = {.type = counter->type,
                                 .size = sizeof attr,
                                 .config = counter->config,
                                 .exclude_user = counter->no_user,
                                 .exclude_kernel = counter->no_kernel,
                                 .exclude_hv = 1};
  return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int refusal(const struct machine_counter *counter)
{
  int fd = open_one(counter, -1);
  if (fd < 0)
    return errno;
  close(fd);
  return 0;
}

void machine_counter_try(struct machine_counter *counter)
{
  if (counter->source == COUNTED_BY_KERNEL_SUMS)
    return;
  counter->refused = refusal(counter);
  bool denied = counter->refused == EACCES || counter->refused == EPERM;
  /* Work of the kernel itself, such as migrations, is not counted without the kernel's code. */
  if (!denied || counter->no_kernel || counter->no_user || counter->source != COUNTED_BY_PROCESSOR)
    return;
  struct machine_counter user = *counter;
  user.no_kernel = true;
  if (refusal(&user) == 0 && strlen(user.name) + 2 < sizeof user.name) {
    *counter = user;
    counter->refused = 0;
    strcat(counter->name, ":u");
  }
}

unsigned machine_counters_together(const struct machine_counter *counters, unsigned count)
{
  int fds[64];
  unsigned together = 0;
  for (unsigned i = 0; i < count && together < COUNT_OF(fds); i++) {
    if (counters[i].source != COUNTED_BY_PROCESSOR || counters[i].refused != 0)
      continue;
    int fd = open_one(&counters[i], together > 0 ? fds[0] : -1);
    if (fd < 0)
      break;
    fds[together++] = fd;
  }
  for (unsigned i = together; i-- > 0;)
    close(fds[i]);
  return together;
}

const char *machine_counter_reason(int refused)
{
  if (refused == EACCES || refused == EPERM)
    return "the kernel does not allow it to this user; set /proc/sys/kernel/perf_event_paranoid to 1 or less";
  if (refused == ENOENT || refused == EOPNOTSUPP || refused == ENODEV || refused == EINVAL)
    return "this machine does not count it";
  if (refused == ENOSYS)
    return "the kernel has no perf events";
  return strerror(refused);
}

/* The kernel's event, used because its sums don't distinguish the program's own code from the kernel's. */
static bool by_event(struct machine_counter *counter)
{
  static const struct {
    const char *sums;
    uint64_t config;
  } events[] = {{"u:0", PERF_COUNT_SW_PAGE_FAULTS},
                {"u:1", PERF_COUNT_SW_PAGE_FAULTS_MIN},
                {"u:2", PERF_COUNT_SW_PAGE_FAULTS_MAJ}};
  for (size_t i = 0; i < COUNT_OF(events); i++)
    if (strcmp(counter->sums, events[i].sums) == 0) {
      counter->source = COUNTED_BY_KERNEL_EVENT;
      counter->config = events[i].config;
      counter->sums = NULL;
      return true;
    }
  return false;
}

/* r01b7: an event by the number that the processor's manual gives it. */
static bool read_raw(struct machine_counter *counter, const char *text, size_t length)
{
  size_t digits = *text == 'r' ? strspn(text + 1, "0123456789abcdef") : 0;
  if (digits == 0 || digits > 15 || digits + 1 != length)
    return false;
  *counter = (struct machine_counter){.what = "an event of this processor",
                                      .source = COUNTED_BY_PROCESSOR,
                                      .type = PERF_TYPE_RAW,
                                      .config = strtoull(text + 1, NULL, 16)};
  return true;
}

static bool machine_counters_find(struct machine_counter *counter, const char *text, size_t length)
{
  for (size_t i = 0; i < COUNT_OF(machine_counters_known); i++)
    if (strlen(machine_counters_known[i].name) == length &&
        strncmp(machine_counters_known[i].name, text, length) == 0) {
      *counter = machine_counters_known[i];
      return true;
    }
  return read_raw(counter, text, length);
}

static const char *machine_counters_read_one(struct machine_counters *counters, const char *text, size_t length)
{
  struct machine_counter counter;
  const char *colon = memchr(text, ':', length);
  size_t name = colon ? (size_t)(colon - text) : length;
  if (!machine_counters_find(&counter, text, name) || length >= sizeof counter.name)
    return "is no counter";
  if (colon) {
    if (length != name + 2 || (colon[1] != 'u' && colon[1] != 'k'))
      return "ends in neither :u, the program's own code, nor :k, the kernel's";
    counter.no_user = colon[1] == 'k';
    counter.no_kernel = colon[1] == 'u';
    if (counter.sums && !by_event(&counter))
      return "has no part of the program's own code";
  }
  memcpy(counter.name, text, length);
  counter.name[length] = '\0';
  for (unsigned i = 0; i < counters->count; i++)
    if (strcmp(counters->list[i].name, counter.name) == 0)
      return "is there twice";
  if (counters->count == MACHINE_COUNTERS_MOST)
    return "is one counter too many: 8 can be read at once";
  counters->list[counters->count++] = counter;
  return NULL;
}

const char *machine_counters_read(struct machine_counters *counters, const char *text, const char **wrong, int *length)
{
  counters->count = 0;
  for (;;) {
    size_t part = strcspn(text, ",");
    const char *objection = machine_counters_read_one(counters, text, part);
    *wrong = text;
    *length = (int)part;
    if (objection || text[part] == '\0')
      return objection;
    text += part + 1;
  }
}

char *machine_counters_setting(const struct machine_counters *counters)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  for (unsigned i = 0; i < counters->count; i++) {
    const struct machine_counter *counter = &counters->list[i];
    fprintf(file, "%s%s=", i > 0 ? "," : "", counter->name);
    if (counter->sums)
      fputs(counter->sums, file);
    else
      fprintf(file, "p:%" PRIx32 ":%" PRIx64 ":%d", counter->type, counter->config,
              counter->no_user     ? 1
              : counter->no_kernel ? 2
                                   : 0);
  }
  if (fclose(file) == 0)
    return text;
  free(text);
  return NULL;
}
