#include "otf2-convert/scan/jvm_pauses.h"

#include "base/count_of.h"
#include "common/raw/raw_trace.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool gc_pauses_add(struct gc_pauses *pauses, gc_pause_list *notes)
{
  bool good = true;
  for (size_t i = 0; i < notes->count && good; i++)
    good = vector_push(&pauses->list, notes->items[i]);
  notes->count = 0;
  return good;
}

static int by_begin(const void *a, const void *b)
{
  const struct gc_pause *x = a, *y = b;
  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void gc_pauses_sort(struct gc_pauses *pauses, uint64_t first)
{
  size_t at = (size_t)(first - pauses->dropped);
  if (at < pauses->list.count)
    qsort(pauses->list.items + at, pauses->list.count - at, sizeof *pauses->list.items, by_begin);
}

bool gc_pauses_add_safepoints(struct gc_pauses *pauses, struct jvm_log *log, uint64_t until,
                              uint32_t (*name)(void *context, const char *text), void *context)
{
  size_t next = 0, end = pauses->list.count;
  bool good = true;
  for (; good && log->passed < log->safepoints.count && log->safepoints.items[log->passed].end <= until;
       log->passed++) {
    const struct jvm_safepoint *safepoint = &log->safepoints.items[log->passed];
    while (next < end && pauses->list.items[next].end <= safepoint->begin)
      next++;
    if (next == end || pauses->list.items[next].begin >= safepoint->end)
      good = vector_push(&pauses->list,
                         ((struct gc_pause){safepoint->begin, safepoint->end, name(context, safepoint->name)}));
  }
  return good;
}

void gc_pauses_drop(struct gc_pauses *pauses, uint64_t until)
{
  size_t n = 0;
  while (n < pauses->list.count && pauses->list.items[n].end <= until)
    n++;
  if (n == 0)
    return;
  memmove(pauses->list.items, pauses->list.items + n, (pauses->list.count - n) * sizeof *pauses->list.items);
  pauses->list.count -= n;
  pauses->dropped += n;
}

#define LINE_BYTES 1024 /* longer lines are of no use here */
#define NS_OF_MS   1000000u
#define LONGEST_NS (3600 * 1000000000ull) /* no stop lasts longer */

/* Takes a number of digits off the front. False: there is none, or it is too large. */
static bool take_number(const char **at, uint64_t *number)
{
  const char *begin = *at;
  for (*number = 0; **at >= '0' && **at <= '9'; ++*at) {
    if (*number > (UINT64_MAX - 9) / 10)
      return false;
    *number = *number * 10 + (uint64_t)(**at - '0');
  }
  return *at > begin;
}

static bool jvm_log_take_text(const char **at, const char *text)
{
  size_t length = strlen(text);
  if (strncmp(*at, text, length) != 0)
    return false;
  *at += length;
  return true;
}

/* "[<time>ns][<thread>] ", where the thread's number may have blanks behind it. */
static bool take_decorations(const char **at, uint64_t *time, uint64_t *tid)
{
  if (!jvm_log_take_text(at, "[") || !take_number(at, time) || !jvm_log_take_text(at, "ns][") || !take_number(at, tid))
    return false;
  while (**at == ' ')
    ++*at;
  return jvm_log_take_text(at, "] ");
}

/* As names of operations are. */
static bool is_word(const char *name)
{
  size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ ");
  return length > 0 && name[length] == '\0';
}

/* JVMTI's events have these, with the time that they took alone. */
static bool is_collection(const char *name)
{
  static const char *const begins[] = {"G1", "Z", "X", "Shenandoah", "Parallel", "Serial"};
  for (size_t i = 0; i < COUNT_OF(begins); i++) {
    size_t length = strlen(begins[i]);
    if (strncmp(name, begins[i], length) == 0 && name[length] >= 'A' && name[length] <= 'Z')
      return true;
  }
  return strstr(name, "Collect") != NULL;
}

/* `"Name", ..., Total: 243083 ns`, and newer JVMs add what threads there were. */
static bool take_safepoint(struct jvm_log *log, char *at, uint64_t time)
{
  struct jvm_safepoint safepoint = {.end = time};
  char *end = strchr(at, '"');
  const char *total = end != NULL ? strstr(end, ", Total: ") : NULL;
  uint64_t ns;
  if (total == NULL || !jvm_log_take_text(&total, ", Total: ") || !take_number(&total, &ns) || ns == 0 ||
      ns > LONGEST_NS || ns > time || log->safepoints.count >= JVM_LOG_STOPS_MAX)
    return true;
  *end = '\0';
  if (!is_word(at) || is_collection(at))
    return true;
  safepoint.begin = time - ns;
  snprintf(safepoint.name, sizeof safepoint.name, "%s", at);
  return vector_push(&log->safepoints, safepoint);
}

/* `(name of the thread) 12.409ms`: the last word counts. */
static bool jvm_log_take_stall(struct jvm_log *log, const char *at, uint64_t time, uint64_t tid)
{
  const char *word = strrchr(at, ' ');
  uint64_t ms, us;
  if (word == NULL || word == at || word[-1] != ')' || log->stalls.count >= JVM_LOG_STOPS_MAX)
    return true;
  word++;
  if (!take_number(&word, &ms) || !jvm_log_take_text(&word, "."))
    return true;
  const char *fraction = word;
  if (!take_number(&word, &us) || word - fraction != 3 || strcmp(word, "ms") != 0 || ms > LONGEST_NS / NS_OF_MS)
    return true;
  uint64_t ns = ms * NS_OF_MS + us * 1000;
  struct jvm_stall stall = {.begin = ns < time ? time - ns : 0, .end = time, .tid = tid};
  return ns == 0 || vector_push(&log->stalls, stall);
}

bool jvm_log_line(struct jvm_log *log, char *line)
{
  const char *at = line;
  uint64_t time, tid;
  if (!take_decorations(&at, &time, &tid))
    return true;
  if (jvm_log_take_text(&at, "Safepoint \""))
    return take_safepoint(log, line + (at - line), time);
  return !jvm_log_take_text(&at, "Allocation Stall (") || jvm_log_take_stall(log, at, time, tid);
}

static FILE *open_log(int directory, const char *name)
{
  struct stat status;
  int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0)
    return NULL;
  FILE *file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) ? fdopen(fd, "r") : NULL;
  if (file == NULL)
    close(fd);
  return file;
}

/* False: memory is short. *found: there is such a file. */
static bool read_log(struct jvm_log *log, int directory, const char *name, bool *found)
{
  char line[LINE_BYTES];
  FILE *file = open_log(directory, name);
  bool good = true, inside = false; /* inside: of a line that is too long */
  *found = file != NULL;
  while (good && file != NULL && fgets(line, sizeof line, file) != NULL) {
    size_t length = strlen(line);
    bool whole = length > 0 && line[length - 1] == '\n';
    if (whole)
      line[length - 1] = '\0';
    good = inside || !whole || jvm_log_line(log, line);
    inside = !whole;
  }
  if (file != NULL)
    fclose(file);
  return good;
}

static int by_end(const void *a, const void *b)
{
  const struct jvm_safepoint *x = a, *y = b;
  return (x->end > y->end) - (x->end < y->end);
}

static int jvm_log_by_thread(const void *a, const void *b)
{
  const struct jvm_stall *x = a, *y = b;
  int order = (x->tid > y->tid) - (x->tid < y->tid);
  return order != 0 ? order : (x->begin > y->begin) - (x->begin < y->begin);
}

/* Archive time of a moment of CLOCK_MONOTONIC. */
static uint64_t jvm_log_time_of(const struct process *process, uint64_t ns)
{
  return process_time_of_ns(process, ns < INT64_MAX ? ns : INT64_MAX);
}

bool jvm_log_of(struct jvm_log *log, const struct process *process)
{
  bool found;
  *log = (struct jvm_log){.passed = 0};
  if (process->info.anchors == 0 || process->frequency <= 0)
    return true;
  if (!read_log(log, process->raw.fd, RAW_JVM_LOG_FILE ".0", &log->cut) ||
      !read_log(log, process->raw.fd, RAW_JVM_LOG_FILE, &found))
    return false;
  for (size_t i = 0; i < log->safepoints.count; i++) {
    log->safepoints.items[i].begin = jvm_log_time_of(process, log->safepoints.items[i].begin);
    log->safepoints.items[i].end = jvm_log_time_of(process, log->safepoints.items[i].end);
  }
  for (size_t i = 0; i < log->stalls.count; i++) {
    log->stalls.items[i].begin = jvm_log_time_of(process, log->stalls.items[i].begin);
    log->stalls.items[i].end = jvm_log_time_of(process, log->stalls.items[i].end);
  }
  if (log->safepoints.count > 0)
    qsort(log->safepoints.items, log->safepoints.count, sizeof *log->safepoints.items, by_end);
  if (log->stalls.count > 0)
    qsort(log->stalls.items, log->stalls.count, sizeof *log->stalls.items, jvm_log_by_thread);
  return true;
}

void jvm_log_free(struct jvm_log *log)
{
  vector_free(&log->safepoints);
  vector_free(&log->stalls);
}

/* The first stall of a thread with this number, or a larger one. */
static size_t first_of(const struct jvm_log *log, uint64_t tid)
{
  size_t low = 0, high = log->stalls.count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (log->stalls.items[middle].tid < tid)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const struct jvm_stall *jvm_log_stalls(const struct jvm_log *log, uint64_t tid, size_t *count)
{
  size_t first = first_of(log, tid);
  *count = tid == 0 || tid == UINT64_MAX ? 0 : first_of(log, tid + 1) - first;
  return *count > 0 ? &log->stalls.items[first] : NULL;
}
