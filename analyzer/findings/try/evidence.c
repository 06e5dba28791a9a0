#include "analyzer/findings/try/experiments.h"

#include "analyzer/analyses/account/stopped.h"
#include "analyzer/findings/all_analyses.h"
#include "analyzer/live/profile/profile.h"
#include "analyzer/trace/definitions.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define LOOP_WORTH  1.0 /* percent of the run: less is no reason for another schedule */
#define PROBE_CHUNK "7"
#define CHUNKS_EACH 16 /* chunks a thread, if all iterations cost the same */

static void free_evidence_place(struct evidence_place *place)
{
  free(place->name);
  free(place->file);
}

void evidence_free(struct evidence *evidence)
{
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    free_evidence_place(&evidence->places[i]);
  for (size_t i = 0; i < evidence->loops.count; i++)
    free_evidence_place(&evidence->loops.items[i].place);
  vector_free(&evidence->loops);
  for (size_t i = 0; i < evidence->findings.count; i++)
    free_evidence_place(&evidence->findings.items[i].place);
  vector_free(&evidence->findings);
  for (size_t i = 0; i < evidence->held.count; i++)
    free_evidence_place(&evidence->held.items[i].place);
  vector_free(&evidence->held);
  free(evidence->first);
}

/* region TRACE_NONE: `name` alone. False: out of memory. */
static bool take_place(struct evidence_place *place, const struct trace *trace, uint32_t region, const char *name,
                       int length)
{
  bool known = region != TRACE_NONE;
  *place = (struct evidence_place){.name = strndup(name, (size_t)length),
                                   .file = strdup(known ? trace->regions[region].file : ""),
                                   .line = known ? trace->regions[region].line : 0};
  return place->name && place->file;
}

static bool take_finding(struct evidence *evidence, const struct trace *trace, const struct finding *finding)
{
  struct evidence_finding found = {.kind = finding->account, .percent = finding->percent};
  int length;
  const char *name = finding_place(trace, finding, &length);
  if (!take_place(&found.place, trace, finding->region, name, length) || !vector_push(&evidence->findings, found)) {
    free_evidence_place(&found.place);
    return false;
  }
  return true;
}

static bool take_kinds(struct evidence *evidence, const struct trace *trace, const struct run_analyses *all,
                       const struct account *account)
{
  for (unsigned i = 0; i < ACCOUNT_KINDS; i++)
    evidence->percent[i] = account_percent(account, account_can_win(account, (enum account_kind)i));
  for (size_t i = 0; i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    if (cause->note == NOTE_LATE || cause->note == NOTE_WAKE_UP)
      evidence->late += account_percent(account, cause->ticks);
  }
  for (size_t i = 0; i < all->findings.count; i++) {
    const struct finding *finding = &all->findings.list[i];
    if (finding->kind == FINDING_POOL_SMALL && !evidence->small_pool) {
      evidence->small_pool = true;
      evidence->pool = finding->percent;
    }
    int length;
    const char *name = finding_place(trace, finding, &length);
    if (finding->account < ACCOUNT_KINDS && !evidence->places[finding->account].name &&
        !take_place(&evidence->places[finding->account], trace, finding->region, name, length))
      return false;
    if (finding->account < ACCOUNT_KINDS && finding->region != TRACE_NONE && trace->regions[finding->region].line &&
        !take_finding(evidence, trace, finding))
      return false;
  }
  return true;
}

/* Without a critical section, what its lock costs and what is done under it ends, too. */
static bool take_held(struct evidence *evidence, const struct trace *trace, const struct account *account)
{
  for (size_t i = 0; i < account->cause_count; i++) {
    const struct account_cause *cause = &account->causes[i];
    const struct trace_region *region = cause->place == TRACE_NONE ? NULL : &trace->regions[cause->place];
    bool critical =
        region && (region->role == OTF2_REGION_ROLE_CRITICAL || region->role == OTF2_REGION_ROLE_CRITICAL_SBLOCK);
    if (!critical || (cause->kind != ACCOUNT_WORK && cause->kind != ACCOUNT_RUNTIME))
      continue;
    struct evidence_finding held = {.kind = cause->kind, .percent = account_percent(account, cause->ticks)};
    if (!take_place(&held.place, trace, cause->place, region->name, (int)strlen(region->name)) ||
        !vector_push(&evidence->held, held)) {
      free_evidence_place(&held.place);
      return false;
    }
  }
  return true;
}

/* The gain of a schedule that is certainly better, in ticks. */
static double certain_gain(const struct schedule_loop *loop, struct plan *best)
{
  if (loop->team_count == 0 || loop->teams[0].verdict != SCHEDULE_ADVISED)
    return 0;
  *best = loop->teams[0].candidates[loop->teams[0].best].plan;
  return (double)loop->ticks * loop->teams[0].gain / 100;
}

/* Chunks that are small enough to even out, and large enough to cost little. */
static struct plan fitting_plan(const struct schedule_loop *loop)
{
  double threads = loop->threads ? loop->threads : 1, calls = loop->calls ? (double)loop->calls : 1;
  double chunk = (double)loop->iterations / calls / threads / CHUNKS_EACH;
  return (struct plan){PLAN_DYNAMIC, chunk >= 1 ? (uint64_t)chunk : 1};
}

static bool take_loops(struct evidence *evidence, const struct trace *trace, const struct schedules *schedules,
                       double run)
{
  for (uint32_t i = 0; i < schedules->count; i++) {
    const struct schedule_loop *loop = &schedules->loops[i];
    const char *name = trace->regions[loop->region].name;
    struct evidence_loop found = {.recorded = loop->recorded.kind, .fits = fitting_plan(loop)};
    found.lost = 100 * fmax((double)loop->ticks - fine_total_ticks(loop->ideal), 0) / run;
    found.best_gain = 100 * certain_gain(loop, &found.best) / run;
    if (!take_place(&found.place, trace, loop->region, name, (int)strlen(name)) ||
        !vector_push(&evidence->loops, found)) {
      free_evidence_place(&found.place);
      return false;
    }
  }
  return true;
}

static unsigned processors_here(void)
{
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

/* As many as may run at once. A limit of the control group that keeps threads waiting counts, too. */
static unsigned count_processors(const struct trace *trace, const struct account *account)
{
  struct cpu_limit group;
  unsigned processors = account->usable ? account->usable : processors_here();
  uint64_t stopped = account_stopped(trace, account, &group);
  if (stopped == 0 || 2 * stopped < account->ticks[ACCOUNT_PROCESSORS] || group.processors >= processors)
    return processors;
  return group.processors >= 1 ? (unsigned)group.processors : 1;
}

static bool take_evidence(struct evidence *evidence, const struct trace *trace, struct pool *pool, struct error *error)
{
  struct run_analyses all;
  struct run_analyses_options options = {.threshold = 0};
  bool good = run_analyses(trace, pool, &options, &all, error);
  const struct account *account = good ? findings_account(&all.results) : NULL;
  if (good && !account) {
    good = error_set(error, "%s: no thread worked", trace->anchor);
  } else if (good) {
    evidence->java = trace_is_of_java(trace);
    evidence->threads = account->most;
    evidence->processors = count_processors(trace, account);
    evidence->first = strdup(all.findings.first);
    good = (evidence->first && take_kinds(evidence, trace, &all, account) && take_held(evidence, trace, account) &&
            take_loops(evidence, trace, all.results.schedules, fmax(all.findings.run, 1))) ||
           error_set(error, "out of memory");
  }
  run_analyses_free(&all);
  return good;
}

bool evidence_read(const char *archive, unsigned jobs, struct evidence *evidence, struct error *error)
{
  *evidence = (struct evidence){.java = false};
  struct trace *trace = trace_open(archive, error);
  struct pool *pool = trace ? pool_create(jobs) : NULL;
  bool good = trace && (pool || error_set(error, "out of memory"));
  if (good && profiled_is(trace))
    good = error_set(error, "%s: is a profile and has no events", trace->anchor);
  good = good && take_evidence(evidence, trace, pool, error);
  pool_destroy(pool);
  trace_close(trace);
  return good;
}

const char *evidence_probe(const struct evidence *evidence)
{
  bool worth = false, is_static = false;
  for (size_t i = 0; i < evidence->loops.count; i++)
    if (evidence->loops.items[i].lost >= LOOP_WORTH) {
      worth = true;
      is_static |= evidence->loops.items[i].recorded == PLAN_STATIC;
    }
  const char *set = getenv("OMP_SCHEDULE");
  if (!worth)
    return NULL;
  if (set && *set)
    is_static = strstr(set, "static") || strstr(set, "STATIC");
  return is_static ? "dynamic," PROBE_CHUNK : "static"; /* libomp calls guided loops dynamic */
}

static const struct evidence_loop *same_loop(const struct evidence *evidence, const struct evidence_loop *loop)
{
  for (size_t i = 0; i < evidence->loops.count; i++) {
    const struct evidence_place *place = &evidence->loops.items[i].place;
    if (place->line == loop->place.line && strcmp(place->name, loop->place.name) == 0 &&
        strcmp(place->file, loop->place.file) == 0)
      return &evidence->loops.items[i];
  }
  return NULL;
}

void evidence_take_probe(struct evidence *evidence, const struct evidence *probed, const char *probe)
{
  enum plan_kind wanted = *probe == 's' ? PLAN_STATIC : PLAN_DYNAMIC;
  for (size_t i = 0; i < evidence->loops.count; i++) {
    struct evidence_loop *loop = &evidence->loops.items[i];
    const struct evidence_loop *now = same_loop(probed, loop);
    loop->runtime = now && now->recorded == wanted && loop->recorded != wanted;
  }
}
