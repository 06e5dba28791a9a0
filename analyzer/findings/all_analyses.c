#include "analyzer/findings/all_analyses.h"

#include "base/count_of.h"

#include <stdlib.h>

#define X(member, type, name) extern const struct analysis name##_analysis;
ALL_ANALYSES(X)
#undef X

#define X(member, type, name) &name##_analysis,
static const struct analysis *const all_analyses[ANALYSES] = {ALL_ANALYSES(X)};
#undef X

static const void *options_of(const struct run_analyses_options *options, const struct analysis *analysis)
{
  for (unsigned i = 0; i < COUNT_OF(options->own); i++)
    if (options->own[i].of == analysis)
      return options->own[i].options;
  return NULL;
}

/* Memory for the results. False: there is none. */
static bool prepare(struct run_analyses *run, const struct trace *trace)
{
  bool good = true;
  *run = (struct run_analyses){0};
  for (unsigned i = 0; i < ANALYSES; i++)
    good &= (run->memory[i] = calloc(1, all_analyses[i]->result_size)) != NULL;
  void *const *next = run->memory;
  run->results.trace = trace;
#define X(member, type, name) run->results.member = *next++;
  ALL_ANALYSES(X)
#undef X
  return good;
}

/* The analyses of the list, and then the further ones. */
static bool find(struct run_analyses *run, struct pool *pool, const struct run_analyses_options *options,
                 struct error *error)
{
  unsigned count = 0;
  struct analysis_task *tasks = calloc(ANALYSES + (size_t)options->also_count, sizeof *tasks);
  if (!tasks)
    return error_set(error, "%s: out of memory", run->results.trace->anchor);
  for (unsigned i = 0; i < ANALYSES; i++)
    if (!options->own_figures || i != ANALYSIS_account)
      tasks[count++] = (struct analysis_task){all_analyses[i], options_of(options, all_analyses[i]), run->memory[i]};
  for (unsigned i = 0; i < options->also_count; i++)
    tasks[count++] = options->also[i];
  bool good = analyses_find(run->results.trace, pool, tasks, count, error);
  ((struct account *)run->memory[ANALYSIS_account])->threshold = options->threshold;
  free(tasks);
  return good;
}

bool run_analyses(const struct trace *trace, struct pool *pool, const struct run_analyses_options *options,
                  struct run_analyses *run, struct error *error)
{
  return (prepare(run, trace) || error_set(error, "%s: out of memory", trace->anchor)) &&
         find(run, pool, options, error) &&
         (findings_rank(&run->results, &run->findings) || error_set(error, "%s: out of memory", trace->anchor));
}

void run_analyses_free(struct run_analyses *run)
{
  for (unsigned i = 0; i < ANALYSES; i++) {
    analysis_free(all_analyses[i], run->memory[i]);
    free(run->memory[i]);
  }
  findings_free(&run->findings);
  *run = (struct run_analyses){0};
}
