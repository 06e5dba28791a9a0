/* Locks, and iterations that wait for their turn. */
#include "analyzer/findings/builder.h"
#include "analyzer/findings/sentences.h"
#include "base/count_of.h"
#include "common/raw/archive_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Ticks of the run for each tick that a thread waits in a parallel region. The member that waits longest decides: the
 * ratio is 1 / n if all wait equally long, else more. 0: no thread waits in a region.
 */
static double region_ratio(const struct builder *builder)
{
  const struct imbalance *imbalance = builder->of->imbalance;
  double run = 0, waited = 0;
  for (uint32_t i = 0; i < imbalance->count; i++) {
    const struct imbalance_construct *construct = &imbalance->constructs[i];
    run += fine_total_ticks(construct->parts.locked) *
           imbalance_side_by_side(construct, builder->of->trace->location_count);
    waited += (double)construct->locked;
  }
  return waited > 0 ? run / waited : 0;
}

/* How many threads waited for the lock or held it. */
static uint32_t users_of(const struct locks *locks, size_t lock)
{
  uint32_t users = 0;
  for (size_t i = 0; i < locks->threads.count; i++)
    users += locks->threads.list[i].lock == lock;
  return users ? users : 1;
}

/* One of them. */
static uint32_t user_of(const struct locks *locks, size_t lock)
{
  for (size_t i = 0; i < locks->threads.count; i++)
    if (locks->threads.list[i].lock == lock)
      return locks->threads.list[i].who;
  return TRACE_NONE;
}

/* The place with the longest waits; TRACE_NONE: unknown. */
static uint32_t waits_place_of(const struct locks *locks, size_t lock)
{
  for (size_t i = 0; i < locks->places.count; i++)
    if (locks->places.list[i].lock == lock && locks->places.list[i].who != TRACE_NONE)
      return locks->places.list[i].who;
  return TRACE_NONE;
}

#define NAME_SIZE 512

/* "mutex queue_lock, mostly at queue.c:42". where: the construct there; NULL: unknown. */
static void name_pthread(const struct lock *lock, const char *where, char name[NAME_SIZE])
{
  const char *kind = lock_kind_name(lock->kind), *place = where ? strstr(where, NAME_AT) : NULL;
  bool has_kind = strncmp(lock->class_name, kind, strlen(kind)) == 0;
  snprintf(name, NAME_SIZE, "%s%s%s%s%s", has_kind ? "" : kind, has_kind || !*lock->class_name ? "" : " ",
           lock->class_name, place ? ", mostly at " : "", place ? place + sizeof NAME_AT - 1 : "");
}

/* "!$omp critical @a.c:3"; "monitor java.util.Vector@3f at Main.work". */
static void name_of(const struct builder *builder, const struct lock *lock, uint32_t place, char name[NAME_SIZE])
{
  const char *where = place == TRACE_NONE ? NULL : builder_region_name(builder, place);
  if (lock_is_pthread(lock->kind))
    name_pthread(lock, where, name);
  else if (!lock_is_java(lock))
    snprintf(name, NAME_SIZE, "%s", where ? where : lock_kind_name(lock->kind));
  else if (lock->number)
    snprintf(name, NAME_SIZE, "%s %s@%" PRIx64 "%s%s", lock_kind_name(lock->kind),
             *lock->class_name ? lock->class_name : "(unknown class)", lock->number, where ? " at " : "",
             where ? where : "");
  else
    snprintf(name, NAME_SIZE, "%s %s%s%s", lock_kind_name(lock->kind),
             *lock->class_name ? lock->class_name : "(unknown class)", where ? " at " : "", where ? where : "");
}

#define WAITS_ADVICE_SIZE 256

/* While a thread holds the lock, all other users can wait. If they waited much longer, the time that the lock is held
 * is not the reason. */
static void advise(const struct builder *builder, size_t at, char advice[WAITS_ADVICE_SIZE])
{
  const struct locks *locks = builder->of->locks;
  const struct lock_sums *sums = &locks->list[at].sums;
  uint32_t users = users_of(locks, at);
  char text[UNITS_SIZE];
  double held = (double)(sums->held + estimate_more(&sums->more[LOCK_HELD]));
  snprintf(advice, WAITS_ADVICE_SIZE, "do less while it is held, or use more locks");
  if (!lock_is_followed(&locks->list[at]) || lock_is_java(&locks->list[at]) ||
      (double)lock_waiting(sums) <= 2.0 * held * (users - 1))
    return;
  int size = snprintf(advice, WAITS_ADVICE_SIZE, "it is held for %s in total: acquire it less often",
                      builder_duration(builder, held, text));
  uint64_t processors = builder_processors(builder, user_of(locks, at));
  if (processors > 0 && users > processors && size > 0 && size < WAITS_ADVICE_SIZE)
    snprintf(advice + size, WAITS_ADVICE_SIZE - (size_t)size,
             ", or by fewer threads: %" PRIu32 " share %" PRIu64 " processor%s, so its owner may wait for one", users,
             processors, processors == 1 ? "" : "s");
}

#define AMOUNT_SIZE (2 * UNITS_SIZE)

/* "1.240 s", or an estimate, "about 1.240 s ±3.0 %". */
static const char *waiting(const struct builder *builder, const struct lock_sums *sums, char text[AMOUNT_SIZE])
{
  const struct estimate *more = &sums->more[LOCK_WAIT];
  char number[UNITS_SIZE], margin[UNITS_SIZE] = "";
  double wait = (double)lock_waiting(sums);
  if (more->omitted > 0 && isfinite(estimate_half_width(more) / wait))
    units_margin(estimate_half_width(more), wait, margin);
  snprintf(text, AMOUNT_SIZE, "%s%s%s", more->omitted > 0 ? "about " : "", builder_duration(builder, wait, number),
           margin);
  return text;
}

/* "once", "12 times", "about 1,200 times". */
static const char *how_often(const struct lock_sums *sums, char text[AMOUNT_SIZE])
{
  char number[UNITS_SIZE];
  uint64_t times = sums->waits + (uint64_t)estimate_more(&sums->more[LOCK_WAITS]);
  if (sums->more[LOCK_WAITS].omitted > 0)
    snprintf(text, AMOUNT_SIZE, "about %s times", units_count(times, number));
  else if (times == 1)
    snprintf(text, AMOUNT_SIZE, "once");
  else
    snprintf(text, AMOUNT_SIZE, "%" PRIu64 " times", times);
  return text;
}

static bool add_lock(struct builder *builder, size_t at, double ratio)
{
  const struct locks *locks = builder->of->locks;
  const struct lock *lock = &locks->list[at];
  uint32_t place = waits_place_of(locks, at);
  if (ratio <= 0 || lock_is_java(lock))
    ratio = 1.0 / users_of(locks, at);
  double all = (double)lock_waiting(&lock->sums);
  struct finding finding = {FINDING_LOCK, place, TRACE_NONE, all * ratio, .text = NULL};
  finding.lock = lock_is_java(lock) ? 0 : lock->number + 1;
  if (lock->sums.more[LOCK_WAIT].omitted > 0) {
    finding.half_width = ratio * estimate_half_width(&lock->sums.more[LOCK_WAIT]);
    finding.recorded = ratio * (double)lock->sums.wait;
  }
  char times[AMOUNT_SIZE], advice[WAITS_ADVICE_SIZE], name[NAME_SIZE], wait[AMOUNT_SIZE], most[UNITS_SIZE];
  name_of(builder, lock, place, name);
  advise(builder, at, advice);
  return builder_add(builder, &finding,
                     "%s: threads waited for it %s, %s in total (%.1f %% of all threads' time), at most "
                     "%s at a time, %s; %s.",
                     name, how_often(&lock->sums, times), waiting(builder, &lock->sums, wait),
                     locks->lifetimes ? 100.0 * all / (double)locks->lifetimes : 0,
                     builder_duration(builder, (double)lock->sums.wait_max, most), BUILDER_WON, advice);
}

/* Constructs whose iterations wait for each other, by the time in state SYNCH ordered. */
static bool add_ordered(struct builder *builder, uint32_t region, double ratio)
{
  double waited = (double)builder->of->sums->constructs[region].ticks[STATE_SYNCH_ORDERED];
  struct finding finding = {FINDING_CHAIN, region, TRACE_NONE, waited * ratio, .text = NULL};
  char wait[UNITS_SIZE];
  return builder_add(builder, &finding,
                     "%s: iterations wait for each other, %s in total over all threads, %s; do less between wait and "
                     "release, and more outside.",
                     builder_region_name(builder, region), builder_duration(builder, waited, wait), BUILDER_WON);
}

/* Waits of POSIX threads that are not for locks. Joins are no loss, but they may be all that a thread does. */
static const enum state pthread_waits[] = {STATE_SYNCH_PTHREAD_CONDITION, STATE_SYNCH_SEMAPHORE,
                                           STATE_SYNCH_PTHREAD_BARRIER, STATE_SYNCH_ATOMIC, STATE_SYNCH_JOIN};
#define PTHREAD_WAITS COUNT_OF(pthread_waits)

static double pthread_waiting(const wide_total ticks[STATES])
{
  double sum = 0;
  for (size_t i = 0; i < PTHREAD_WAITS; i++)
    sum += (double)ticks[pthread_waits[i]];
  return sum;
}

/*
 * Ticks of the run for each tick that a thread waits so. Without all these waits, the run takes as long as the thread
 * with the shortest waits is busy. Only threads that live for at least half of the run count.
 */
static double pthread_ratio(const struct builder *builder)
{
  const struct states_sums *sums = builder->of->sums;
  double all = 0, least = -1;
  for (uint32_t i = 0; i < builder->of->trace->location_count; i++) {
    const struct states_thread *thread = &sums->threads[i];
    double lived = 0, waited = pthread_waiting(thread->ticks);
    for (unsigned state = 0; state < STATES; state++)
      lived += (double)thread->ticks[state];
    all += waited;
    if (thread->alive && 2 * lived >= builder->run && (least < 0 || waited < least))
      least = waited;
  }
  return all > 0 && least > 0 ? least / all : 0;
}

static bool add_pthread_wait(struct builder *builder, uint32_t region, double ratio)
{
  const struct states_construct *construct = &builder->of->sums->constructs[region];
  double waited = pthread_waiting(construct->ticks) - (double)construct->ticks[STATE_SYNCH_JOIN];
  if (waited <= 0 || ratio <= 0)
    return true;
  struct finding finding = {FINDING_WAITING, region, TRACE_NONE, waited * ratio, .text = NULL};
  char wait[UNITS_SIZE], times[UNITS_SIZE];
  return builder_add(builder, &finding,
                     "%s: threads wait here %s in total, in %s calls, and no thread is busy all the time, %s. Let the "
                     "threads that wake them do so earlier.",
                     builder_region_name(builder, region), builder_duration(builder, waited, wait),
                     units_count(construct->calls, times), BUILDER_WON);
}

bool lock_waits_add(struct builder *builder)
{
  const struct locks *locks = builder->of->locks;
  double ratio = region_ratio(builder);
  bool good = true;
  for (size_t i = 0; good && i < locks->count; i++)
    if (locks->list[i].kind != LOCK_ORDERED && locks->list[i].sums.wait > 0)
      good = add_lock(builder, i, ratio);
  double pthreads = pthread_ratio(builder);
  for (uint32_t i = 0; good && i < builder->of->trace->region_count; i++)
    good = add_ordered(builder, i, ratio) && add_pthread_wait(builder, i, pthreads);
  return good;
}

/* Findings without a construct: serial parts, deadlocks, and the measurement itself. */

/* Part of the work outside of teams that other threads may do. */
#define WHOLE_ALONE_PART 0.01

/* The largest team whose forker is of the process. */
static uint32_t largest_team(const struct builder *builder, uint32_t process)
{
  const struct trace *trace = builder->of->trace;
  uint32_t largest = 0;
  for (uint32_t i = 0; i < trace->team_count; i++) {
    const struct trace_team *team = &trace->teams[i];
    if (team->size > largest && trace->locations[team->members[0]].process == process)
      largest = team->size;
  }
  return largest;
}

/* An excluded thread may have worked. The JVM's own threads, and virtual ones, count nowhere. */
static bool is_hidden(const struct trace *trace, uint32_t location)
{
  return trace->locations[location].excluded && trace_is_program_thread(trace, location);
}

/* The only thread of a process that works outside of teams; TRACE_NONE: there is none, there are several, or this is
 * unknown. */
static uint32_t alone_in(const struct builder *builder, uint32_t process)
{
  const struct trace *trace = builder->of->trace;
  const uint64_t *alone = builder->of->imbalance->alone;
  uint32_t most = TRACE_NONE;
  uint64_t all = 0;
  for (uint32_t i = 0; i < trace->location_count; i++) {
    if (trace->locations[i].process != process)
      continue;
    if (is_hidden(trace, i))
      return TRACE_NONE;
    all += alone[i];
    if (most == TRACE_NONE || alone[i] > alone[most])
      most = i;
  }
  /* A worker may have been in a team that was not recorded (a ring). */
  if (most == TRACE_NONE || trace->locations[most].type == TRACE_THREAD_WORKER)
    return TRACE_NONE;
  return (double)(all - alone[most]) <= WHOLE_ALONE_PART * (double)all ? most : TRACE_NONE;
}

bool serial_add(struct builder *builder)
{
  const struct trace *trace = builder->of->trace;
  bool good = true;
  for (uint32_t process = 0; good && process < trace->process_count; process++) {
    uint32_t threads = largest_team(builder, process), location = alone_in(builder, process);
    if (threads < 2 || location == TRACE_NONE)
      continue;
    double alone = (double)builder->of->imbalance->alone[location] - processors_read(builder, TRACE_NONE, location);
    struct finding finding = {FINDING_SERIAL, TRACE_NONE, location, alone * (1 - 1.0 / threads), .text = NULL};
    char time[UNITS_SIZE];
    good = builder_add(builder, &finding,
                       "the serial part: %s works alone for %s outside of parallel regions, %s if %" PRIu32
                       " threads shared it%s.",
                       trace_thread_said(trace, location), builder_duration(builder, alone, time), BUILDER_WON, threads,
                       builder->of->processors->known || builder->of->processors->read
                           ? ""
                           : " (waits that are not measured count as work: for input, output, MPI and others)");
  }
  return good;
}

bool measurement_add(struct builder *builder)
{
  const struct overhead *overhead = builder->of->overhead;
  if (!overhead_is_too_much(overhead))
    return true;
  struct finding finding = {FINDING_MEASUREMENT, overhead->construct, overhead->location, (double)overhead->recording,
                            .text = NULL};
  char *sentence = overhead_sentence(builder->of->trace, overhead);
  bool good = sentence &&
              builder_add(builder, &finding, "the measurement: %c%s", tolower((unsigned char)*sentence), sentence + 1);
  free(sentence);
  return good;
}

bool deadlocks_add(struct builder *builder)
{
  const struct deadlocks *deadlocks = builder->of->deadlocks;
  bool good = true;
  for (size_t i = 0; good && deadlocks && i < deadlocks->count; i++) {
    const struct deadlock_wait *wait = &deadlocks->list[i];
    if (wait->cycle ? i > 0 && wait[-1].cycle == wait->cycle : !wait->ended)
      continue;
    char *text = deadlock_sentence(builder->of->trace, deadlocks, i);
    struct finding finding = {FINDING_DEADLOCK, wait->region, wait->location, builder->run > 1 ? builder->run : 1,
                              .text = NULL};
    good = text && builder_add(builder, &finding, "%s", text);
    free(text);
  }
  return good;
}
