#include "analyzer/findings/why_live.h"

#include "analyzer/command/command.h"
#include "analyzer/findings/why/why.h"
#include "analyzer/findings/why_readings.h"
#include "analyzer/findings/why_show.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/record/launch/live_request.h"
#include "analyzer/record/live_commands.h"
#include "analyzer/record/live_start.h"
#include "analyzer/trace/restriction.h"
#include "analyzer/trace/stream.h"
#include "base/count_of.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static uint64_t why_inserted_now_ns(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool why_inserted_add(struct why_inserted *inserted, const char *when, unsigned on)
{
  struct why_inserted_step step = {when, on, why_inserted_now_ns(), why_inserted_now_ns()};
  if (inserted->steps.count > 0)
    inserted->steps.items[inserted->steps.count - 1].end_ns = step.begin_ns;
  return vector_push(&inserted->steps, step);
}

void why_inserted_put(const struct analysis_run *run, const struct why_inserted *inserted)
{
  static const struct print_column columns[] = {{"when", "Inserted", PRINT_STRING, false},
                                                {"sums", "Sums", PRINT_STRING, false},
                                                {"events", "Events", PRINT_STRING, false},
                                                {"seconds", "Seconds", PRINT_REAL, false}};
  print_table(run->print, "inserted", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < inserted->steps.count; i++) {
    const struct why_inserted_step *step = &inserted->steps.items[i];
    double seconds = (double)(step->end_ns - step->begin_ns) / 1e9;
    struct print_cell cells[] = {print_string(step->when), print_string(step->on & INSERT_SUMS ? "on" : "off"),
                                 print_string(step->on & INSERT_EVENTS ? "on" : "off"),
                                 step->end_ns > step->begin_ns ? print_real(seconds) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

/* A storm fills logs by 100 MB a second, and each part is searched. The limits: bytes that a part may add to the logs
 * at once, bytes that each second may add besides, and the time between checks. A loop's chunks come slower, and must
 * be whole. */
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
  return why_search(traced->trace, pool, threshold, false, &traced->all, &traced->why, error);
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

/* Size of the logs of a process. */
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

/* Waits until the part ends, or has enough events. Returns what is left of its time. */
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
 * Traces parts, one right after the other, up to so many in all. A part with enough events ends early. The next one
 * begins when this one would have ended, so that the parts cover as much of the run as others do.
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

#define USUAL_NS     10000000000u
#define FOR_SUMS     50 /* percent of `outside`: no thread with something to do was in sight */
#define FOR_READINGS 4  /* the part of the time for readings, where stretches of a trace may follow: 1 / this */

struct search {
  const struct why_live_options *options;
  struct live_process process;
  struct insert insert;
  struct why_inserted inserted;
  struct live *live;
  struct pool *pool;
  struct why_readings readings;
  struct why_traced traced;
};

/* True if readings have ruled out that the threads could do more. */
static bool has_nothing(const struct why *why)
{
  for (size_t i = 0; i < why->nodes.count; i++) {
    const struct why_node *node = &why->nodes.items[i];
    if (node->measured && node->aspect <= WHY_KIND && node->verdict != WHY_FALSE)
      return false;
  }
  return true;
}

static bool is_on(struct search *search, const char *when, struct error *error)
{
  return why_inserted_add(&search->inserted, when, search->insert.now) || error_set(error, "out of memory");
}

/* Readings. They end early if no trace follows and the search is sure of a reason. A program does not show all of its
 * phases in a short time. */
static bool read_sums(struct search *search, uint64_t part_ns, bool traces, const char *orders, struct error *error)
{
  struct why_readings *readings = &search->readings;
  double threshold = search->options->threshold;
  bool good = why_readings_begin(readings, search->live, search->process.pid, orders, error), sure = false;
  for (size_t next = WHY_PARTS_LEAST; good && !sure && next <= WHY_PARTS_MOST;) {
    if (readings->now.reading.over || why_interrupted())
      return readings->whole.why.nodes.count > 0 ||
             error_set(error, readings->now.reading.over ? "the process has ended before anything was sure"
                                                         : "interrupted before anything was sure");
    why_rest(part_ns);
    good = why_readings_part(readings, error);
    if (!good || readings->parts.count < next)
      continue;
    next *= 2;
    good = why_readings_look(readings, threshold, error);
    sure = good && !traces && !has_nothing(&readings->whole.why) && why_is_decided(&readings->whole.why);
  }
  return good;
}

/* The process, or its recording; what was read before is still good. */
static bool why_live_has_ended(struct search *search)
{
  struct error error;
  return search->readings.whole.why.nodes.count > 0 &&
         (!why_readings_part(&search->readings, &error) || search->readings.now.reading.over);
}

/* The account of the traced parts. NULL: none, or it leaves much unknown: a stretch of a trace lacks what began before
 * it, and the executions that its budget omits. Sums have both, but not the order of events. */
static const struct account *account_of(const struct search *search)
{
  const struct account *account = search->traced.trace ? findings_account(&search->traced.all.results) : NULL;
  bool knows = account && account_percent(account, account->ticks[ACCOUNT_UNKNOWN]) < search->options->threshold &&
               account_percent(account, account->ticks[ACCOUNT_OUTSIDE]) < FOR_SUMS;
  return knows ? account : NULL;
}

static bool why_live_trace(struct search *search, uint64_t part_ns, struct error *error)
{
  struct why_tracing tracing = {.command = search->options->command,
                                .process = &search->process,
                                .readings = &search->readings,
                                .insert = &search->insert,
                                .inserted = &search->inserted,
                                .part_ns = part_ns,
                                .threshold = search->options->threshold};
  if (!why_traced_take(&tracing, search->pool, &search->traced, error) && !why_live_has_ended(search))
    return false;
  if (!why_readings_look(&search->readings, search->options->threshold, error))
    return false;
  return !search->traced.trace || account_of(search) ||
         why_complete(&search->traced.why, &search->readings.whole.why) || error_set(error, "out of memory");
}

static bool why_live_measure(struct search *search, struct error *error)
{
  uint64_t for_ns = search->options->for_ns ? search->options->for_ns : USUAL_NS;
  bool traces = insert_can_trace(&search->insert);
  uint64_t readings_ns = traces ? for_ns / FOR_READINGS : for_ns;
  const char *orders = traces ? "heddle why --for with a longer time" : "start it with heddle record --live";
  if (!insert_set(&search->insert, INSERT_SUMS, error) || !is_on(search, "during", error) ||
      !read_sums(search, readings_ns / WHY_PARTS_MOST, traces, orders, error))
    return false;
  if (!traces || search->readings.now.reading.over || has_nothing(&search->readings.whole.why))
    return true;
  return why_live_trace(search, (for_ns - readings_ns) / WHY_PARTS_MOST, error);
}

/* The sentence of the place with most to win in the tree; sums have the last word where there is none. NULL: no memory.
 */
static char *first_of(const struct search *search)
{
  const struct why_node *most = NULL;
  for (size_t i = 0; i < search->traced.why.nodes.count; i++) {
    const struct why_node *node = &search->traced.why.nodes.items[i];
    if (node->aspect == WHY_WHERE && node->finding->text && node->percent >= search->options->threshold &&
        (!most || node->percent > most->percent))
      most = node;
  }
  return most ? findings_look_first(most->finding) : strdup(search->readings.whole.findings.first);
}

static bool why_live_put(struct search *search, struct error *error)
{
  const struct why_live_options *options = search->options;
  bool traced = search->traced.trace != NULL, books = account_of(search) != NULL;
  struct analysis_run run = {.command = options->command,
                             .trace =
                                 traced ? search->traced.trace : (struct trace *)search->readings.now.reading.trace,
                             .pool = search->pool,
                             .format = options->format};
  char *first = books    ? strdup(search->traced.all.findings.first)
                : traced ? first_of(search)
                         : strdup(search->readings.whole.findings.first);
  run.print = first ? print_open(run.format, stdout, run.trace->ticks_per_second) : NULL;
  if (!run.print) {
    free(first);
    return error_set(error, "out of memory");
  }
  why_put(&run, traced ? &search->traced.why : &search->readings.whole.why, first, books ? &search->traced.all : NULL);
  free(first);
  why_inserted_put(&run, &search->inserted);
  error->message[0] = '\0'; /* print_close() says why */
  return print_close(run.print);
}

/* Whatever has happened, the process is as before. */
static bool search_and_restore(struct search *search, struct error *error)
{
  struct error other;
  bool good = is_on(search, "before", error);
  search->live = good ? live_open(search->process.directory, error) : NULL;
  search->pool = pool_create(search->options->jobs);
  good = good && search->live && (search->pool || error_set(error, "out of memory")) && why_live_measure(search, error);
  if (!insert_end(&search->insert, good ? error : &other) && good && (good = why_live_has_ended(search)))
    search->insert.now = search->insert.before;
  if (good)
    good = is_on(search, "after", error) && why_live_put(search, error);
  return good;
}

/* False: an error, after a message. */
static bool search_process(const struct live_process *process, const struct why_live_options *options)
{
  struct search search = {.options = options, .process = *process};
  struct error error;
  otf2_library_quiet();
  why_catch_interrupts();
  bool good = insert_begin(&search.insert, &search.process, &error) && search_and_restore(&search, &error);
  if (!good)
    command_failed(options->command, error.message);
  why_traced_free(&search.traced);
  why_readings_free(&search.readings);
  live_close(search.live);
  pool_destroy(search.pool);
  vector_free(&search.inserted.steps);
  return good;
}

int why_live(const char *pid, const struct why_live_options *options)
{
  struct live_process process;
  struct error error;
  if (!live_process_find(pid, &process, &error)) {
    command_failed(options->command, error.message);
    return EXIT_FAULT;
  }
  bool good = search_process(&process, options);
  live_process_free(&process);
  return good ? EXIT_DONE : EXIT_FAULT;
}

int why_live_program(char **arguments, const struct why_live_options *options)
{
  struct live_started started;
  struct error error;
  struct live_started_as as = {.aside = options->format != PRINT_TEXT};
  bool good = live_start_program(arguments, as, &started, &error);
  if (!good)
    command_failed(options->command, error.message);
  struct live_process process = {
      .pid = live_started_pid(&started), .trace = started.trace, .directory = started.directory};
  good = good && search_process(&process, options) && fflush(stdout) == 0;
  int status = live_started_end(&started);
  return good || status != EXIT_DONE ? status : EXIT_FAULT;
}
