#include "analyzer/findings/try/try.h"

#include "analyzer/command/command.h"
#include "analyzer/findings/try/trial.h"
#include "base/hash.h"
#include "base/rank_test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
  AT_ONCE_MOST = 16, /* experiments of a call */
  PAIRS_MORE = 2     /* experiments that are decided leave their time to the others */
};

void try_free(struct try_result *result)
{
  experiments_free(&result->experiments);
  evidence_free(&result->evidence);
}

double try_median(const double *seconds, unsigned count)
{
  double copy[SEQUENTIAL_MOST];
  memcpy(copy, seconds, count * sizeof *copy);
  return doubles_median(copy, count);
}

/* Drops the least promising experiments until the time is enough to prove the others. */
static bool plan_pairs(const struct trial *trial, struct try_result *result, struct sequential_plan *plan,
                       struct error *error)
{
  size_t all = result->experiments.list.count;
  for (size_t i = 0; i < all; i++)
    result->experiments.list.items[i].outcome = EXPERIMENT_NOT_TRIED;
  double left = fmax(trial_left(trial), 0);
  for (unsigned tried = all < AT_ONCE_MOST ? (unsigned)all : AT_ONCE_MOST; tried > 0; tried--) {
    double pairs = fmin(trial->plan->runs, left / (trial->first * (tried + 1)));
    if (!sequential_plan(plan, (unsigned)pairs, TRY_LEVEL / tried))
      continue;
    pairs = fmin(trial->plan->runs, PAIRS_MORE * floor(pairs));
    sequential_plan(plan, (unsigned)pairs, TRY_LEVEL / tried);
    result->tried = tried;
    for (unsigned i = 0; i < tried; i++)
      result->experiments.list.items[i].outcome = EXPERIMENT_OPEN;
    return true;
  }
  unsigned needed = sequential_needed(TRY_LEVEL);
  if (trial->plan->runs < needed)
    return error_set(error, "--runs %u: a proof needs %u pairs or more", trial->plan->runs, needed);
  return error_set(error, "a run takes %.1f s, and a proof needs %u pairs: give --time %.0fs or more", trial->first,
                   needed, ceil(trial->plan->time - left + trial->first * (needed + 1) * 2));
}

static bool unchanged_run(struct trial *trial, struct try_result *result, struct error *error)
{
  char text[64];
  struct program_end end;
  bool same;
  if (!trial_run(trial, NULL, &end, &same, error))
    return false;
  const char *name = trial->plan->arguments[0], *failure = program_failure(&end, text);
  if (failure)
    return error_set(error, "%s: it %s without any change, after %u good runs", name, failure, result->runs + 1);
  if (!same)
    return error_set(error, "%s: its output changes from run to run: compare it with --same CMD", name);
  trial->longest = fmax(trial->longest, end.seconds);
  result->seconds[result->runs++] = end.seconds;
  return true;
}

static bool changed_run(struct trial *trial, struct experiment *experiment, struct error *error)
{
  char text[64];
  struct program_end end;
  bool same;
  if (!trial_run(trial, experiment, &end, &same, error))
    return false;
  const char *failure = program_failure(&end, text);
  if (end.hung)
    experiment->outcome = EXPERIMENT_HUNG;
  else if (failure)
    experiment->outcome = EXPERIMENT_FAILED;
  else if (!same)
    experiment->outcome = EXPERIMENT_OTHER_OUTPUT;
  else
    experiment->seconds[experiment->pairs++] = end.seconds;
  if (failure)
    snprintf(experiment->failure, sizeof experiment->failure, "%s", failure);
  return true;
}

static bool look(const struct try_result *result, const struct sequential_plan *plan, struct experiment *experiment)
{
  static const enum experiment_outcome outcomes[] = {[SEQUENTIAL_OPEN] = EXPERIMENT_OPEN,
                                                     [SEQUENTIAL_HOPELESS] = EXPERIMENT_UNDECIDED,
                                                     [SEQUENTIAL_FASTER] = EXPERIMENT_KEPT,
                                                     [SEQUENTIAL_SLOWER] = EXPERIMENT_SLOWER,
                                                     [SEQUENTIAL_NO_GAIN] = EXPERIMENT_NO_GAIN};
  if (!sequential_add(plan, &experiment->test, result->seconds, experiment->seconds, experiment->pairs))
    return false;
  experiment->outcome = outcomes[experiment->test.verdict];
  return true;
}

/* One unchanged run and one of each open experiment, in an order by chance: what drifts meanwhile favours none. */
static bool one_round(struct trial *trial, struct try_result *result, const struct sequential_plan *plan,
                      uint64_t *seed, struct error *error)
{
  unsigned order[AT_ONCE_MOST + 1], count = result->tried + 1;
  for (unsigned i = 0; i < count; i++) {
    *seed = hash_mix(*seed + i + 1);
    unsigned at = (unsigned)(*seed % (i + 1));
    order[i] = order[at];
    order[at] = i;
  }
  struct experiment *list = result->experiments.list.items;
  for (unsigned i = 0; i < count; i++) {
    struct experiment *experiment = order[i] == 0 ? NULL : &list[order[i] - 1];
    if (experiment && experiment->outcome != EXPERIMENT_OPEN)
      continue;
    if (trial_left(trial) <= 0)
      return true; /* a round that is not whole is not looked at */
    if (!(experiment ? changed_run(trial, experiment, error) : unchanged_run(trial, result, error)))
      return false;
  }
  for (unsigned i = 0; i < result->tried; i++)
    if (list[i].outcome == EXPERIMENT_OPEN && !look(result, plan, &list[i]))
      return error_set(error, "out of memory");
  return true;
}

static bool any_is_open(const struct try_result *result)
{
  for (unsigned i = 0; i < result->tried; i++)
    if (result->experiments.list.items[i].outcome == EXPERIMENT_OPEN)
      return true;
  return false;
}

static bool run_rounds(struct trial *trial, struct try_result *result, struct error *error)
{
  struct sequential_plan plan;
  if (!plan_pairs(trial, result, &plan, error))
    return false;
  unsigned pairs = plan.looks[plan.count - 1];
  struct progress progress = progress_begin("try", pairs);
  uint64_t seed = hash_mix((uint64_t)getpid());
  bool good = true;
  for (unsigned round = 0; good && round < pairs && any_is_open(result) && trial_left(trial) > 0; round++) {
    progress_step(&progress, "runs without and with each change");
    good = one_round(trial, result, &plan, &seed, error);
  }
  progress_end(&progress);
  for (unsigned i = 0; i < result->tried; i++)
    if (result->experiments.list.items[i].outcome == EXPERIMENT_OPEN)
      result->experiments.list.items[i].outcome = EXPERIMENT_UNDECIDED;
  return good;
}

/* Which loops follow OMP_SCHEDULE shows a recording with another one. */
static bool probe_schedules(const struct trial *trial, struct evidence *evidence, struct error *error)
{
  const char *probe = evidence->java ? NULL : evidence_probe(evidence);
  char setting[64];
  if (!probe)
    return true;
  struct evidence probed;
  snprintf(setting, sizeof setting, "OMP_SCHEDULE=%s", probe);
  bool good = trial_record(trial, setting, &probed, error);
  if (good)
    evidence_take_probe(evidence, &probed, probe);
  evidence_free(&probed);
  return good;
}

bool try_program(const struct try_plan *plan, struct try_result *result, struct error *error)
{
  struct trial trial;
  *result = (struct try_result){.tried = 0};
  bool good = trial_begin(&trial, plan, error) && trial_record(&trial, NULL, &result->evidence, error) &&
              probe_schedules(&trial, &result->evidence, error) &&
              trial_patch(&trial, &result->evidence, &result->experiments, error);
  if (good)
    good =
        experiments_make(&result->evidence, plan->arguments, &result->experiments) || error_set(error, "out of memory");
  if (good && result->experiments.list.count > 0)
    good = run_rounds(&trial, result, error);
  trial_end(&trial);
  return good;
}
