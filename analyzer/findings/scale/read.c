#include "analyzer/findings/scale/scale.h"

#include "analyzer/live/profile/profile.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/stream.h"
#include "base/count_of.h"

#include <sys/stat.h>

static void free_place(struct scale_place *place)
{
  free(place->name);
  free(place->file);
  free(place->function);
  free(place->at_file);
}

void scale_run_free(struct scale_run *run)
{
  for (size_t i = 0; i < run->places.count; i++)
    free_place(&run->places.items[i]);
  vector_free(&run->places);
  for (size_t i = 0; i < run->parts.count; i++) {
    free(run->parts.items[i].name);
    free(run->parts.items[i].file);
  }
  vector_free(&run->parts);
  for (size_t i = 0; i < run->regions.count; i++)
    free(run->regions.items[i].name);
  vector_free(&run->regions);
  free(run->first);
}

void scale_free(struct scale_runs *runs)
{
  for (size_t i = 0; i < runs->list.count; i++)
    scale_run_free(&runs->list.items[i]);
  vector_free(&runs->list);
}

void scale_set_teams(struct scale_runs *runs, const unsigned *threads, size_t count, uint32_t *first)
{
  static const uint32_t usual[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64};
  memcpy(runs->teams, usual, sizeof usual);
  *first = runs->team_count = COUNT_OF(usual);
  for (size_t i = 0; i < count && runs->team_count < SCALE_TEAMS; i++)
    runs->teams[runs->team_count++] = threads[i];
}

/* A copy of the text, or NULL of NULL. False: out of memory. */
static bool copy_text(const char *text, char **copy)
{
  *copy = text ? strdup(text) : NULL;
  return *copy || !text;
}

/* A construct is a place; code outside of constructs is known by its function. */
static bool add_place(struct scale_run *run, const struct trace *trace, const struct account_cause *cause)
{
  const struct trace_region *region = cause->place == TRACE_NONE ? NULL : &trace->regions[cause->place];
  struct scale_place place = {.line = region ? region->line : 0,
                              .at_line = cause->line,
                              .atomic = cause->atomic,
                              .work = (double)cause->ticks / (double)trace->ticks_per_second};
  const char *file = region ? region->file : cause->file;
  bool good = copy_text(region ? region->name : cause->function, &place.name);
  good = copy_text(file ? file : "", &place.file) && good;
  good = copy_text(cause->function, &place.function) && good;
  good = copy_text(cause->file, &place.at_file) && good;
  if (good && vector_push(&run->places, place))
    return true;
  free_place(&place);
  return false;
}

/* One thread was asked for: the processors that it leaves are not lost. */
static bool take_account(struct scale_run *run, const struct trace *trace, const struct account *account)
{
  unsigned __int128 ticks[ACCOUNT_KINDS];
  memcpy(ticks, account->ticks, sizeof ticks);
  if (run->threads == 1)
    ticks[ACCOUNT_THREADS] = 0;
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    run->seconds[i] = (double)ticks[i] / (double)trace->ticks_per_second;
  run->processors = account->processors;
  run->duration = (double)account->duration / (double)trace->ticks_per_second;
  run->efficiency = efficiency_of(ticks);
  for (size_t i = 0; i < account->cause_count; i++)
    if (account->causes[i].kind == ACCOUNT_WORK && !add_place(run, trace, &account->causes[i]))
      return false;
  return true;
}

static bool take_run(struct scale_run *run, const struct scale_runs *runs, const struct trace *trace, unsigned threads,
                     struct pool *pool, struct error *error)
{
  struct run_analyses all;
  struct schedules_options teams = {.threads = runs->teams, .thread_count = runs->team_count};
  struct run_analyses_options options = {.own = {{&schedules_analysis, &teams}}};
  bool good = run_analyses(trace, pool, &options, &all, error);
  const struct account *account = good ? findings_account(&all.results) : NULL;
  if (good && (!account || account->ticks[ACCOUNT_WORK] == 0)) {
    good = error_set(error, "%s: no thread worked", trace->anchor);
  } else if (good) {
    struct stat status;
    run->recorded = stat(trace->anchor, &status) == 0 ? (int64_t)status.st_mtime : 0;
    run->most = account->most;
    run->threads = threads ? threads : account->most;
    run->first_kind = all.findings.first_kind;
    run->first = strdup(all.findings.first);
    good = (run->first && take_account(run, trace, account) && scale_take_regions(run, &all.results) &&
            (runs->team_count == 0 || scale_take_parts(run, runs, &all.results))) ||
           error_set(error, "%s: out of memory", trace->anchor);
  }
  run_analyses_free(&all);
  return good;
}

bool scale_add(struct scale_runs *runs, const char *archive, unsigned threads, unsigned jobs, struct error *error)
{
  struct scale_run run = {.threads = 0};
  struct trace *trace = trace_open(archive, error);
  struct pool *pool = trace ? pool_create(jobs) : NULL;
  bool good = trace && (pool || error_set(error, "out of memory"));
  if (good && profiled_is(trace))
    good = error_set(error, "%s: is a profile and has no events: record without --profile", trace->anchor);
  good = good && take_run(&run, runs, trace, threads, pool, error) &&
         (vector_push(&runs->list, run) || error_set(error, "out of memory"));
  if (!good)
    scale_run_free(&run);
  pool_destroy(pool);
  trace_close(trace);
  return good;
}
