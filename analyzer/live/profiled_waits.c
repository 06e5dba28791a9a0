#include "analyzer/live/profiled_waits.h"

#include "analyzer/live/profile/waits.h"
#include "base/count_of.h"

#include <stdlib.h>

static int profiled_waits_compare(const void *a, const void *b)
{
  const struct profiled_wait *left = a, *right = b;
  if (left->all != right->all)
    return left->all < right->all ? 1 : -1;
  return (left->region > right->region) - (left->region < right->region);
}

static void profiled_waits_put_waits(const struct analysis_run *run, const struct profiled_wait *waits, size_t count,
                                     wide_total whole)
{
  static const struct print_column columns[] = {{"construct", "Construct", PRINT_STRING, false},
                                                {"executions", "Executions", PRINT_COUNT, false},
                                                {"threads", "Threads", PRINT_COUNT, false},
                                                {"waiting", "Waiting, all threads", PRINT_SHARE, false},
                                                {"waiting_least", "Least", PRINT_DURATION, false},
                                                {"waiting_most", "Most", PRINT_DURATION, false},
                                                {"win_at_least", "Could be won, at least", PRINT_DURATION, false},
                                                {"win_at_most", "At most", PRINT_DURATION, false}};
  print_table(run->print, "waits", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < count; i++) {
    const struct profiled_wait *at = &waits[i];
    if (at->threads < 2 || at->lock)
      continue;
    wide_total mean = profiled_win(at);
    struct print_cell cells[] = {print_string(run->trace->regions[at->region].name),
                                 print_number(at->executions),
                                 print_number(at->threads),
                                 print_share(at->all, whole),
                                 print_number(at->least),
                                 print_number(at->most),
                                 print_number(mean - at->least),
                                 print_number(mean)};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool profiled_waits_put(const struct analysis_run *run, const struct profiled *profile)
{
  struct profiled_wait *waits = profiled_waits(run->trace, profile);
  if (!waits)
    return false;
  qsort(waits, run->trace->region_count, sizeof *waits, profiled_waits_compare);
  profiled_waits_put_waits(run, waits, run->trace->region_count, profiled_time(profile));
  free(waits);
  return true;
}

bool profiled_imbalance_work(const struct analysis_run *run, const void *own, struct error *error)
{
  (void)own;
  struct profiled profile;
  bool good = profiled_read(run->trace, run->pool, &profile, error) &&
              (profiled_waits_put(run, &profile) || error_set(error, "out of memory"));
  if (good)
    print_sentence(
        run->print, "profile",
        "The archive is a profile: it has sums over all executions. If the slowest thread is another one each "
        "time, threads wait alike, and the lower bound is small although much could be won.");
  profiled_free(&profile);
  return good;
}

/* The row of the same place for holds; NULL: there is none. */
static const struct profile_row *hold_of(const struct profiled *sum, const struct profile_row *acquire)
{
  for (size_t i = 0; i < sum->count; i++)
    if (sum->rows[i].kind == PROFILE_HOLD && sum->rows[i].region == acquire->region)
      return &sum->rows[i];
  return NULL;
}

static int compare_self(const void *a, const void *b)
{
  const struct profile_row *left = a, *right = b;
  if (left->self != right->self)
    return left->self < right->self ? 1 : -1;
  return (left->region > right->region) - (left->region < right->region);
}

static void profiled_waits_put_locks(const struct analysis_run *run, const struct profiled *sum, wide_total whole)
{
  static const struct print_column columns[] = {{"place", "Place", PRINT_STRING, false},
                                                {"acquired", "Acquired", PRINT_COUNT, false},
                                                {"contended", "Contended", PRINT_COUNT, false},
                                                {"wait", "Wait, all threads", PRINT_SHARE, false},
                                                {"wait_max", "Longest", PRINT_DURATION, false},
                                                {"held", "Held", PRINT_DURATION, false},
                                                {"held_max", "Longest hold", PRINT_DURATION, false}};
  print_table(run->print, "places", NULL, columns, COUNT_OF(columns), false);
  for (size_t i = 0; i < sum->count; i++) {
    const struct profile_row *row = &sum->rows[i], *hold = hold_of(sum, row);
    if (row->kind != PROFILE_ACQUIRE || row->region == TRACE_NONE)
      continue;
    struct print_cell cells[] = {print_string(run->trace->regions[row->region].name),
                                 print_number(row->executions),
                                 print_number(row->contended),
                                 print_share(row->self, whole),
                                 print_number(row->longest),
                                 hold ? print_number(hold->inclusive) : print_none(),
                                 hold ? print_number(hold->longest) : print_none()};
    print_row(run->print, cells);
  }
  print_table_end(run->print);
}

bool profiled_locks_put(const struct analysis_run *run, const struct profiled *profile)
{
  struct profiled sum = {.rows = NULL};
  bool good = profiled_sum(profile, &sum);
  if (good) {
    if (sum.count > 0)
      qsort(sum.rows, sum.count, sizeof *sum.rows, compare_self);
    profiled_waits_put_locks(run, &sum, profiled_time(profile));
  }
  profiled_free(&sum);
  return good;
}

bool profiled_locks_work(const struct analysis_run *run, const void *own, struct error *error)
{
  (void)own;
  struct profiled profile;
  bool good = profiled_read(run->trace, run->pool, &profile, error) &&
              (profiled_locks_put(run, &profile) || error_set(error, "out of memory"));
  if (good)
    print_sentence(
        run->print, "profile",
        "The archive is a profile: it has the source lines of locks, but neither the locks themselves nor which "
        "threads waited for which.");
  profiled_free(&profile);
  return good;
}
