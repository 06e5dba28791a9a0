#include "analyzer/analyses/locks/deadlocks/lock_order.h"
#include "analyzer/command/analysis.h"
#include "analyzer/command/sentences.h"
#include "analyzer/command/values.h"
#include "analyzer/findings/prints.h"
#include "analyzer/live/profile_tables.h"
#include "base/count_of.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OTHERS_SHOWN = 20 };

static struct print_cell deadlocks_show_place(const struct trace *trace, uint32_t region)
{
  return region == TRACE_NONE ? print_none() : print_string(trace->regions[region].name);
}

static struct print_cell from(const struct trace *trace, uint64_t since)
{
  return since == UINT64_MAX ? print_none() : print_number(since > trace->first_tick ? since - trace->first_tick : 0);
}

static const char *object(const struct trace *trace, const struct deadlock_wait *wait, char name[DEADLOCK_NAME_SIZE])
{
  return wait->kind == DEADLOCK_JOIN ? "the thread's end" : deadlock_object(trace, wait, name);
}

/* Else it is the region that waits. */
static bool is_named(const struct trace *trace, const struct deadlock_wait *wait, const char *name)
{
  return wait->kind != DEADLOCK_OTHER || strcmp(name, trace->regions[wait->region].name) != 0;
}

/* Text has the threads that waited longest. */
static void show_others(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  static const struct print_column columns[] = {{"thread_name", "Thread", PRINT_STRING, false},
                                                {"waits_for", "Waits for", PRINT_STRING, false},
                                                {"place", "at", PRINT_STRING, false},
                                                {"since", "From", PRINT_DURATION, false},
                                                {"holder", "Because of", PRINT_STRING, true}};
  const struct trace *trace = run->trace;
  size_t shown = deadlocks->other_count;
  if (run->format == PRINT_TEXT && shown > OTHERS_SHOWN)
    shown = OTHERS_SHOWN;
  if (shown == 0)
    return;
  print_table(run->print, "waiting", "Threads that waited when the run was killed", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < shown; i++) {
    const struct deadlock_wait *wait = &deadlocks->others[i];
    char name[DEADLOCK_NAME_SIZE];
    const char *what = object(trace, wait, name);
    struct print_cell cells[] = {print_string(trace->locations[wait->location].name),
                                 is_named(trace, wait, what) ? print_string(what) : print_none(),
                                 deadlocks_show_place(trace, wait->region), from(trace, wait->since),
                                 wait->holder == TRACE_NONE ? print_none()
                                                            : print_string(trace->locations[wait->holder].name)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void show_stuck(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  static const struct print_column columns[] = {
      {"deadlock", "Deadlock", PRINT_NUMBER, true},    {"thread_name", "Thread", PRINT_STRING, false},
      {"waits_for", "Waits for", PRINT_STRING, false}, {"place", "at", PRINT_STRING, false},
      {"since", "From", PRINT_DURATION, false},        {"holder", "Because of", PRINT_STRING, false},
      {"holder_ended", "Ended", PRINT_STRING, true},   {"holder_place", "Its place", PRINT_STRING, true},
      {"held_since", "From", PRINT_DURATION, true}};
  const struct trace *trace = run->trace;
  if (deadlocks->count == 0)
    return;
  print_table(run->print, "deadlocks", "Threads that can never go on", columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    char name[DEADLOCK_NAME_SIZE];
    struct print_cell cells[] = {wait->cycle ? print_number(wait->cycle) : print_none(),
                                 print_string(trace->locations[wait->location].name),
                                 print_string(object(trace, wait, name)),
                                 deadlocks_show_place(trace, wait->region),
                                 from(trace, wait->since),
                                 print_string(trace->locations[wait->holder].name),
                                 wait->ended ? print_string("yes") : print_none(),
                                 deadlocks_show_place(trace, wait->holder_region),
                                 from(trace, wait->acquired)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

void deadlocks_show(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  show_stuck(run, deadlocks);
  show_others(run, deadlocks);
}

bool deadlocks_say(const struct analysis_run *run, const struct deadlocks *deadlocks)
{
  for (size_t i = 0; i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    if (wait->cycle ? i > 0 && wait[-1].cycle == wait->cycle : !wait->ended)
      continue;
    char *text = deadlock_sentence(run->trace, deadlocks, i);
    if (!text)
      return false;
    char *whole = NULL;
    bool good = asprintf(&whole, "Look first at %s", text) >= 0;
    if (good)
      print_sentence(run->print, "deadlock", whole);
    free(whole);
    free(text);
    if (!good)
      return false;
  }
  return true;
}

#define LOCK_ORDER_SHOW_NAME_SIZE 256

/* Its name; else the place where it was acquired. */
static struct print_cell lock(const struct trace *trace, uint64_t number, uint32_t region,
                              char name[LOCK_ORDER_SHOW_NAME_SIZE])
{
  const char *known = trace_lock_name(trace, number);
  if (known)
    return print_string(known);
  if (region != TRACE_NONE)
    return print_string(trace->regions[region].name);
  snprintf(name, LOCK_ORDER_SHOW_NAME_SIZE, "lock %" PRIu64, number);
  return print_string(name);
}

static struct print_cell lock_order_show_place(const struct trace *trace, uint32_t region)
{
  return region == TRACE_NONE ? print_none() : print_string(trace->regions[region].name);
}

static void lock_order_show_put_table(const struct analysis_run *run, const struct lock_order *order)
{
  static const struct print_column columns[] = {
      {"inversion", "Inversion", PRINT_NUMBER, false}, {"thread_name", "Thread", PRINT_STRING, false},
      {"others", "and others", PRINT_STRING, true},    {"first", "held", PRINT_STRING, false},
      {"first_place", "from", PRINT_STRING, true},     {"second", "and acquired", PRINT_STRING, false},
      {"second_place", "at", PRINT_STRING, true},      {"times", "Times", PRINT_COUNT, false},
      {"gate", "Guarded by", PRINT_STRING, true}};
  const struct trace *trace = run->trace;
  print_table(run->print, "orders", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < order->count; i++) {
    const struct order_row *row = &order->list[i];
    const struct order_step *step = &row->step;
    char first[LOCK_ORDER_SHOW_NAME_SIZE], second[LOCK_ORDER_SHOW_NAME_SIZE], gate[LOCK_ORDER_SHOW_NAME_SIZE];
    struct print_cell cells[] = {print_number(row->inversion),
                                 print_string(trace->locations[step->location].name),
                                 step->several ? print_string("yes") : print_none(),
                                 lock(trace, step->first, step->first_region, first),
                                 lock_order_show_place(trace, step->first_region),
                                 lock(trace, step->second, step->second_region, second),
                                 lock_order_show_place(trace, step->second_region),
                                 print_number(step->count),
                                 row->guarded ? lock(trace, row->gate, TRACE_NONE, gate) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

static void lock_order_show_put_sentence(const struct analysis_run *run, const struct lock_order *order)
{
  char text[512];
  uint32_t open = order->inversions - order->guarded;
  if (open > 0)
    snprintf(text, sizeof text,
             "%" PRIu32 " inversion%s of the order of locks: in another run the threads of one may wait for each other "
             "for ever.",
             open, open == 1 ? "" : "s");
  else
    snprintf(text, sizeof text, "All threads acquired locks in one order%s, as far as acquisitions are recorded.",
             order->guarded > 0 ? ", but where a further lock guards them" : "");
  print_sentence(run->print, "orders_sentence", text);
  if (run->trace->weight != OTF2_UNDEFINED_ATTRIBUTE)
    print_sentence(run->print, "orders_omitted",
                   "Some acquisitions are not recorded: heddle record --lock-order records all.");
  if (order->beyond_limit == 0)
    return;
  snprintf(text, sizeof text, "%" PRIu64 " further pairs of locks are not looked at.", order->beyond_limit);
  print_sentence(run->print, "orders_beyond_limit", text);
}

static bool lock_order_work(const struct analysis_run *run, struct error *error)
{
  struct lock_order order;
  bool good = analysis_find(&lock_order_analysis, run->trace, run->pool, NULL, &order, error);
  if (good) {
    if (order.count > 0 || run->format != PRINT_TEXT)
      lock_order_show_put_table(run, &order);
    lock_order_show_put_sentence(run, &order);
  }
  analysis_free(&lock_order_analysis, &order);
  return good;
}

#define LOCKS_TOP_TEXT  10
#define LOCKS_NAME_SIZE 1024
struct locks_own_options {
  uint64_t top; /* 0: the format decides */
  bool order;
};

struct locks_view {
  const struct analysis_run *run;
  const struct locks *locks;
  size_t shown;
  bool stuck;                            /* threads wait for each other at the run's end */
  const struct lock_party **first_place; /* by lock: the place with the longest waits; NULL: unknown */
};

/* Java: class and identity; else its name in the archive, or the construct at the place with the longest waits. */
static const char *lock_name(const struct locks_view *view, size_t at, char name[LOCKS_NAME_SIZE])
{
  const struct lock *lock = &view->locks->list[at];
  if (lock_is_java(lock) && !lock_is_pthread(lock->kind)) {
    const char *class_name = *lock->class_name ? lock->class_name : "(unknown class)";
    if (lock->number)
      snprintf(name, LOCKS_NAME_SIZE, "%s@%" PRIx64, class_name, lock->number);
    else
      snprintf(name, LOCKS_NAME_SIZE, "%s", class_name);
    return name;
  }
  const char *known = trace_lock_name(view->run->trace, lock->number);
  if (known)
    return known;
  if (view->first_place[at] && !lock_is_pthread(lock->kind))
    return view->run->trace->regions[view->first_place[at]->who].name;
  snprintf(name, LOCKS_NAME_SIZE, "lock %" PRIu64, lock->number);
  return name;
}

static wide_total mean_wait(const struct lock_sums *sums)
{
  wide_total waits = sums->waits + estimate_more(&sums->more[LOCK_WAITS]);
  return waits ? lock_waiting(sums) / waits : 0;
}

static bool has_omitted(const struct locks_view *view)
{
  return view->run->trace->weight != OTF2_UNDEFINED_ATTRIBUTE;
}

static void begin_table(const struct locks_view *view, const char *key, const char *title,
                        const struct print_column *columns, size_t count)
{
  if (has_omitted(view))
    print_may_estimate(view->run->print);
  print_table(view->run->print, key, title, columns, count, false);
}

static void locks_put_locks(const struct locks_view *view)
{
  static const struct print_column columns[] = {
      {"lock", "No.", PRINT_NUMBER, false},
      {"kind", "Kind", PRINT_STRING, false},
      {"name", "Lock", PRINT_STRING, false},
      {"process", "Process", PRINT_STRING, true},
      {"acquired", "Acquired", PRINT_COUNT, true},
      {"waited", "Waited", PRINT_COUNT, false},
      {"wait", "Wait, all threads", PRINT_SHARE, false},
      {"wait_mean", "Mean", PRINT_DURATION, PRINT_OMIT_FIRST},
      {"wait_max", "Longest", PRINT_DURATION, false},
      {"held", "Held", PRINT_DURATION, true},
      {"holds", "Holds seen", PRINT_COUNT, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},
      {"held_seen", "Held at least", PRINT_DURATION, true}};
  const struct trace *trace = view->run->trace;
  begin_table(view, "locks", NULL, columns, COUNT_OF(columns));
  for (size_t i = 0; i < view->shown; i++) {
    const struct lock *lock = &view->locks->list[i];
    const struct lock_sums *sums = &lock->sums;
    char name[LOCKS_NAME_SIZE];
    bool followed = lock_is_followed(lock), java = lock_is_java(lock);
    bool process = trace->process_count > 1 && lock->process != TRACE_NONE;
    struct print_cell cells[] = {print_number(i + 1),
                                 print_string(lock_kind_name(lock->kind)),
                                 print_string(lock_name(view, i, name)),
                                 process ? print_string(trace->processes[lock->process].name) : print_none(),
                                 followed ? estimate_executions(sums->acquisitions, &sums->more[LOCK_ACQUISITIONS])
                                          : print_none(),
                                 estimate_number(sums->waits, &sums->more[LOCK_WAITS]),
                                 estimate_share(sums->wait, &sums->more[LOCK_WAIT], view->locks->lifetimes),
                                 print_number(mean_wait(sums)),
                                 print_number(sums->wait_max),
                                 followed ? estimate_number(sums->held, &sums->more[LOCK_HELD]) : print_none(),
                                 java ? print_number(sums->holds) : print_none(),
                                 java ? print_number(sums->held_seen) : print_none()};
    print_row(view->run->print, cells);
  }
  print_table_end(view->run->print);
}

/* The columns that threads and places have in common, after their own. */
#define PARTY_COLUMNS                                                                                                  \
  {"acquired", "Acquired", PRINT_COUNT, true}, {"waited", "Waited", PRINT_COUNT, false},                               \
      {"wait", "Wait", PRINT_DURATION, false}, {"wait_max", "Longest", PRINT_DURATION, false},                         \
      {"held", "Held", PRINT_DURATION, true},                                                                          \
      {"holds", "Holds seen", PRINT_COUNT, PRINT_OMIT_ZERO | PRINT_OMIT_FIRST},                                        \
      {"held_seen", "Held at least", PRINT_DURATION, true},                                                            \
  {                                                                                                                    \
    "others_waited", "Others waited", PRINT_DURATION, true                                                             \
  }

static void put_party(const struct locks_view *view, struct print_cell *cells, struct print_cell *next,
                      const struct lock_party *party)
{
  const struct lock_sums *sums = &party->sums;
  bool followed = lock_is_followed(&view->locks->list[party->lock]);
  bool java = lock_is_java(&view->locks->list[party->lock]);
  *next++ = followed ? estimate_executions(sums->acquisitions, &sums->more[LOCK_ACQUISITIONS]) : print_none();
  *next++ = estimate_number(sums->waits, &sums->more[LOCK_WAITS]);
  *next++ = estimate_number(sums->wait, &sums->more[LOCK_WAIT]);
  *next++ = print_number(sums->wait_max);
  *next++ = followed ? estimate_number(sums->held, &sums->more[LOCK_HELD]) : print_none();
  *next++ = java ? print_number(sums->holds) : print_none();
  *next++ = java ? print_number(sums->held_seen) : print_none();
  *next++ = print_number(sums->caused);
  print_row(view->run->print, cells);
}

/* Text omits locks without waits. */
static bool locks_is_shown(const struct locks_view *view, const struct lock_party *party)
{
  return party->lock < view->shown &&
         (view->run->format != PRINT_TEXT || view->locks->list[party->lock].sums.waits > 0);
}

static void locks_put_threads(const struct locks_view *view)
{
  static const struct print_column columns[] = {{"lock", "No.", PRINT_NUMBER, false},
                                                {"thread_name", "Thread", PRINT_STRING, false},
                                                {"thread", "No.", PRINT_NUMBER, false},
                                                PARTY_COLUMNS};
  const struct lock_parties *threads = &view->locks->threads;
  begin_table(view, "threads", "By thread", columns, COUNT_OF(columns));
  for (size_t i = 0; i < threads->count; i++) {
    const struct lock_party *party = &threads->list[i];
    struct print_cell cells[COUNT_OF(columns)] = {print_number(party->lock + 1),
                                                  print_string(view->run->trace->locations[party->who].name),
                                                  print_number(party->who)};
    if (locks_is_shown(view, party))
      put_party(view, cells, &cells[3], party);
  }
  print_table_end(view->run->print);
}

/* In text, a place has file and line only if its name does not include them. */
static void locks_put_places(const struct locks_view *view)
{
  static const struct print_column columns[] = {
      {"lock", "No.", PRINT_NUMBER, false},   {"place", "Place", PRINT_STRING, false},
      {"function", "in", PRINT_STRING, true}, {"file", "File", PRINT_STRING, true},
      {"line", "Line", PRINT_NUMBER, true},   PARTY_COLUMNS};
  static const struct trace_region unknown = {.name = "(unknown)", .function = "", .file = ""};
  const struct lock_parties *places = &view->locks->places;
  begin_table(view, "places", "By place", columns, COUNT_OF(columns));
  for (size_t i = 0; i < places->count; i++) {
    const struct lock_party *party = &places->list[i];
    const struct trace_region *region = party->who == TRACE_NONE ? &unknown : &view->run->trace->regions[party->who];
    bool where = view->run->format != PRINT_TEXT || !strchr(region->name, '@');
    bool function = *region->function && strcmp(region->function, region->name) != 0;
    struct print_cell cells[COUNT_OF(columns)] = {print_number(party->lock + 1), print_string(region->name),
                                                  function ? print_string(region->function) : print_none(),
                                                  where && *region->file ? print_string(region->file) : print_none(),
                                                  where && region->line ? print_number(region->line) : print_none()};
    if (locks_is_shown(view, party))
      put_party(view, cells, &cells[5], party);
  }
  print_table_end(view->run->print);
}

static void locks_put_sentence(const struct locks_view *view)
{
  char text[256];
  if (view->locks->unknown > 0) {
    snprintf(text, sizeof text,
             "The holder is not recorded for %" PRIu64 " of the recorded waits: no thread and no source line has them "
             "in the column of what others waited.%s",
             view->locks->unknown,
             trace_is_of_java(view->run->trace)
                 ? " `heddle record --java owner=on` asks the JVM for owners of monitors."
                 : "");
    print_sentence(view->run->print, "holders_unknown", text);
  }
  size_t more = view->locks->count - view->shown;
  if (view->locks->wait == 0 && view->stuck)
    return; /* they wait still */
  if (view->locks->wait == 0 && locks_more_wait(view->locks).omitted > 0)
    print_sentence(view->run->print, "unwaited",
                   "No thread waited at a recorded acquisition of a lock of OpenMP or Java. Other acquisitions are not "
                   "recorded: heddle info has their number.");
  else if (view->locks->wait == 0 && trace_is_of_java(view->run->trace))
    print_sentence(view->run->print, "unwaited", "No thread waited for a monitor or another lock.");
  else if (view->locks->wait == 0 && trace_has_pthreads(view->run->trace))
    print_sentence(
        view->run->print, "unwaited",
        "No thread waited for a lock of OpenMP, Java or POSIX threads. Heddle does not record waits in MPI.");
  else if (view->locks->wait == 0)
    print_sentence(
        view->run->print, "unwaited",
        "No thread waited for a lock of OpenMP or Java. Heddle records neither locks of pthreads, C++ and other "
        "libraries nor waits in MPI.");
  else if (more > 0 && view->run->format == PRINT_TEXT) {
    snprintf(text, sizeof text, "%zu more locks cost less: --top %zu shows them, too.", more, view->locks->count);
    print_sentence(view->run->print, "more", text);
  }
}

static bool locks_put_all(struct locks_view *view, const struct run_analyses *all)
{
  view->first_place = calloc(view->locks->count + 1, sizeof *view->first_place);
  if (!view->first_place)
    return false;
  for (size_t i = view->locks->places.count; i-- > 0;) {
    const struct lock_party *place = &view->locks->places.list[i];
    if (place->who != TRACE_NONE)
      view->first_place[place->lock] = place;
  }
  struct estimate more = locks_more_wait(view->locks);
  print_fact(view->run->print, "wait", "Waited for locks", PRINT_SHARE,
             estimate_share(view->locks->wait, &more, view->locks->lifetimes));
  deadlocks_show(view->run, all->results.deadlocks);
  locks_put_locks(view);
  if (view->run->format != PRINT_TEXT || view->locks->wait > 0) {
    locks_put_threads(view);
    locks_put_places(view);
    callers_show(view->run, &view->locks->callers, "lock", view->shown);
  }
  account_say_kind(view->run, all, ACCOUNT_SYNCHRONIZATION);
  findings_show(view->run, all);
  locks_put_sentence(view);
  restricted_put_requests(view->run, view->locks->open);
  free(view->first_place);
  return true;
}

bool locks_put(const struct analysis_run *run, const struct run_analyses *all, size_t top)
{
  const struct locks *locks = all->results.locks;
  struct locks_view view = {.run = run, .locks = locks, .stuck = all->results.deadlocks->count > 0};
  view.shown = top ? top : run->format == PRINT_TEXT ? LOCKS_TOP_TEXT : locks->count;
  if (view.shown > locks->count)
    view.shown = locks->count;
  return locks_put_all(&view, all);
}

static bool print_locks(const struct analysis_run *run, const struct run_analyses *all, const void *own)
{
  return locks_put(run, all, ((const struct locks_own_options *)own)->top);
}

static bool locks_work(const struct analysis_run *run, const void *own, struct error *error)
{
  const struct run_analyses_options usual = {.also_count = 0};
  return ((const struct locks_own_options *)own)->order ? lock_order_work(run, error)
                                                        : run_analyses_print(run, &usual, print_locks, own, error);
}

static const struct command_option locks_own_options[] = {
    {.name = "top",
     .argument = "N",
     .help = "the N locks with the highest cost (default: 10; JSON and CSV: all)",
     .take = option_number,
     .at = offsetof(struct locks_own_options, top),
     .least = 1},
    {.name = "order",
     .help = "locks that threads acquired in different orders, while they held others",
     .take = option_flag,
     .at = offsetof(struct locks_own_options, order)},
    {.name = NULL}};

const struct command command_locks = {
    .name = "locks",
    .group = COMMAND_LOOK,
    .summary = "prints which locks threads waited for, which threads held them, and where",
    .synopsis = ANALYSIS_SYNOPSIS,
    .about =
        "Prints which locks threads waited for: critical sections, locks, ordered and atomic of OpenMP, monitors and\n"
        "locks of Java, mutexes, rwlocks and spin locks of POSIX threads; which threads waited, which held them, and\n"
        "where. DIR is the trace's directory or its .otf2 file.\n",
    ANALYSIS_OPERAND,
    .options = {{.list = locks_own_options}, ANALYSIS_OPTIONS},
    LOOK(.options_size = sizeof(struct locks_own_options), .work = locks_work, .leads_to_why = true,
         .work_on_profile = profiled_locks_work),
};
