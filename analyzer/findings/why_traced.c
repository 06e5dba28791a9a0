#include "analyzer/findings/why_traced.h"

#include "analyzer/findings/why_readings.h"
#include "analyzer/findings/why_search.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/record/live_snapshot.h"
#include "analyzer/trace/restriction.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A storm fills logs by 100 MB a second, and each part is searched: what a part may add to the logs at once, and what a
 * second of it may add besides; looked at so often. A loop's chunks come slower, and must be whole. */
#define PART_MOST_BYTES    1000000u
#define SECOND_MOST_BYTES  15000000u
#define WHY_TRACED_LOOK_NS 2000000u

/* Twice as many parts need that many times as long: each is searched from the archive's begin. */
#define NEXT_LOOK_TIMES 4

struct why_traced_part {
  uint64_t from, to; /* ticks */
};

struct why_traced_parts {
  struct why_traced_part list[WHY_PARTS_MOST];
  size_t count;
};

void why_traced_free(struct why_traced *traced)
{
  if (!traced->trace)
    return;
  why_free(&traced->why);
  run_analyses_free(&traced->all);
  trace_close(traced->trace);
  traced->trace = NULL;
}

/* part NULL: all of it. False: an error. why_traced_free() in any case. */
static bool search_part(const char *path, struct pool *pool, const struct why_traced_part *part, double threshold,
                        struct why_traced *traced, struct error *error)
{
  *traced = (struct why_traced){.trace = trace_open(path, error)};
  if (!traced->trace)
    return false;
  if (profiled_is(traced->trace))
    return true;
  if (part)
    trace_restrict_time(traced->trace, part->from, part->to);
  return why_search(traced->trace, pool, threshold, &traced->all, &traced->why, error);
}

/* The tree of all parts, with intervals of what the parts say. */
static bool search_parts(const struct why_tracing *tracing, const struct why_traced_parts *parts, const char *path,
                         struct pool *pool, struct why_traced *whole, struct error *error)
{
  struct why_traced each[WHY_PARTS_MOST];
  struct why trees[WHY_PARTS_MOST];
  size_t searched = 0;
  bool good = search_part(path, pool, NULL, tracing->threshold, whole, error);
  if (good && profiled_is(whole->trace)) { /* no thread has written an event */
    why_traced_free(whole);
    return true;
  }
  while (good && searched < parts->count) {
    good = search_part(path, pool, &parts->list[searched], FINDINGS_WORTH, &each[searched], error);
    trees[searched] = each[searched].why;
    searched++;
  }
  good = good && (why_join(&whole->why, trees, searched) || error_set(error, "out of memory"));
  for (size_t i = 0; i < searched; i++)
    why_traced_free(&each[i]);
  if (!good)
    why_traced_free(whole);
  return good;
}

static int why_traced_remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
  (void)status;
  (void)type;
  (void)where;
  return remove(path);
}

/* Makes an archive of the parts, and searches it. */
static bool search_archive(const struct why_tracing *tracing, const struct why_traced_parts *parts, struct pool *pool,
                           struct why_traced *whole, struct error *error)
{
  const char *temporary = getenv("TMPDIR");
  char *path;
  if (asprintf(&path, "%s/heddle-why-XXXXXX", temporary && *temporary ? temporary : "/tmp") < 0)
    return error_set(error, "out of memory");
  bool good = mkdtemp(path) ||
              error_set(error, "%s: cannot be created: %s; set TMPDIR to another directory", path, strerror(errno));
  if (good) {
    error->message[0] = '\0'; /* the converter says why */
    good = live_snapshot(tracing->command, tracing->process, path) &&
           search_parts(tracing, parts, path, pool, whole, error);
    nftw(path, why_traced_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
  }
  free(path);
  return good;
}

static bool switch_to(const struct why_tracing *tracing, unsigned wanted, struct error *error)
{
  return insert_set(tracing->insert, wanted, error) &&
         (why_inserted_add(tracing->inserted, "during", tracing->insert->now) || error_set(error, "out of memory"));
}

/* At most so much of a log is written: it has holes, and blocks that are allocated ahead. */
static uint64_t written_bytes(const struct stat *status)
{
  uint64_t blocks = (uint64_t)status->st_blocks * 512, size = (uint64_t)status->st_size;
  return blocks < size ? blocks : size;
}

/* Of the logs of a process. */
static uint64_t logged_bytes(const struct live_process *process)
{
  uint64_t bytes = 0;
  struct stat status;
  DIR *list = opendir(process->directory);
  for (const struct dirent *entry; list && (entry = readdir(list));)
    if (fstatat(dirfd(list), entry->d_name, &status, 0) == 0)
      bytes += written_bytes(&status);
  if (list)
    closedir(list);
  return bytes;
}

static uint64_t why_traced_now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* True if a part that has taken so long may have more events. */
static bool has_room(uint64_t bytes, uint64_t passed_ns)
{
  return bytes <= PART_MOST_BYTES + SECOND_MOST_BYTES * (passed_ns / 1000) / 1000000;
}

/* Until the part is over, or there is enough of it. Returns what is left of its time. */
static uint64_t rest_while_traced(const struct why_tracing *tracing)
{
  uint64_t begin = why_traced_now_ns(), before = logged_bytes(tracing->process), passed = 0;
  while (passed < tracing->part_ns && !why_interrupted()) {
    uint64_t begun = why_traced_now_ns();
    if (!has_room(logged_bytes(tracing->process) - before, passed))
      break;
    /* where there are many logs, looking takes a tenth of the time at most */
    uint64_t pause = 10 * (why_traced_now_ns() - begun), left = tracing->part_ns - passed;
    pause = pause < WHY_TRACED_LOOK_NS ? WHY_TRACED_LOOK_NS : pause;
    why_rest(pause < left ? pause : left);
    passed = why_traced_now_ns() - begin;
  }
  return passed < tracing->part_ns ? tracing->part_ns - passed : 0;
}

static bool pause_tracing(const struct why_tracing *tracing, uint64_t ns, struct error *error)
{
  if (!switch_to(tracing, INSERT_SUMS, error))
    return false;
  why_rest(ns);
  return switch_to(tracing, INSERT_SUMS | INSERT_EVENTS, error) && why_readings_part(tracing->readings, error);
}

/* The first part begins. Before others the search has looked at those there were, on the program's processors. */
static bool begin_tracing(const struct why_tracing *tracing, bool first, struct error *error)
{
  return switch_to(tracing, INSERT_SUMS | INSERT_EVENTS, error) &&
         (first ? why_readings_part : why_readings_own_part)(tracing->readings, error);
}

/*
 * Traces parts, one right after the other, up to so many in all. A part with enough of events ends early; the next one
 * begins when this one would have ended, so that the parts see as much of the run as others do.
 */
static bool trace_parts(const struct why_tracing *tracing, size_t wanted, struct why_traced_parts *parts,
                        struct error *error)
{
  struct error other;
  const uint64_t *now = &tracing->readings->now.reading.now;
  bool good = begin_tracing(tracing, parts->count == 0, error);
  while (good && parts->count < wanted && !why_interrupted()) {
    uint64_t from = *now, left = rest_while_traced(tracing);
    good = why_readings_part(tracing->readings, error);
    if (good && *now > from)
      parts->list[parts->count++] = (struct why_traced_part){from, *now};
    if (good && left > 0 && parts->count < wanted)
      good = pause_tracing(tracing, left, error);
  }
  return switch_to(tracing, INSERT_SUMS, good ? error : &other) && good;
}

/* True if another look takes no longer than the user wanted to watch. */
static bool may_look_again(const struct why_tracing *tracing, uint64_t last_ns)
{
  return last_ns * NEXT_LOOK_TIMES <= tracing->part_ns * WHY_PARTS_MOST;
}

bool why_traced_take(const struct why_tracing *tracing, struct pool *pool, struct why_traced *traced,
                     struct error *error)
{
  struct why_traced_parts parts = {.count = 0};
  bool good = true, enough = false;
  *traced = (struct why_traced){.trace = NULL};
  for (size_t wanted = WHY_PARTS_LEAST;
       good && !enough && wanted <= WHY_PARTS_MOST && !why_interrupted() && !tracing->readings->now.reading.over;
       wanted *= 2) {
    good = trace_parts(tracing, wanted, &parts, error);
    if (!good || parts.count < WHY_PARTS_LEAST)
      break;
    why_traced_free(traced);
    uint64_t begin = why_traced_now_ns();
    good = search_archive(tracing, &parts, pool, traced, error);
    enough = good &&
             ((traced->trace && why_is_decided(&traced->why)) || !may_look_again(tracing, why_traced_now_ns() - begin));
  }
  return good;
}
