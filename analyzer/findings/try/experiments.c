#include "analyzer/findings/try/experiments.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOSS_WORTH        1.0 /* percent of the run, of a loop */
#define JAVA_OPTIONS_NAME "JAVA_TOOL_OPTIONS"

extern char **environ;

/* The list as it grows. */
struct maker {
  const struct evidence *of;
  struct experiments *list;
  bool failed; /* out of memory */
};

static void free_experiment(struct experiment *experiment)
{
  free(experiment->name);
  free(experiment->directory);
  for (unsigned i = 0; i < EXPERIMENT_SETTINGS; i++)
    free(experiment->settings[i]);
}

void experiments_free(struct experiments *experiments)
{
  for (size_t i = 0; i < experiments->list.count; i++)
    free_experiment(&experiments->list.items[i]);
  vector_free(&experiments->list);
}

const char *experiment_outcome_name(enum experiment_outcome outcome)
{
  static const char *const names[] = {[EXPERIMENT_OPEN] = "open",
                                      [EXPERIMENT_UNDECIDED] = "undecided",
                                      [EXPERIMENT_KEPT] = "kept",
                                      [EXPERIMENT_SLOWER] = "slower",
                                      [EXPERIMENT_NO_GAIN] = "no gain",
                                      [EXPERIMENT_FAILED] = "failed",
                                      [EXPERIMENT_OTHER_OUTPUT] = "other output",
                                      [EXPERIMENT_HUNG] = "hung",
                                      [EXPERIMENT_NOT_TRIED] = "not tried"};
  return names[outcome];
}

/* The text before the `=`, with it. */
static size_t name_length(const char *setting)
{
  return strcspn(setting, "=") + 1;
}

static bool is_replaced(const char *variable, char *const *settings)
{
  for (; *settings; settings++)
    if (strncmp(variable, *settings, name_length(*settings)) == 0)
      return true;
  return false;
}

char **environment_with(char *const *settings)
{
  size_t count = 0, all = 0;
  while (environ[all])
    all++;
  for (size_t i = 0; settings[i]; i++)
    all++;
  char **list = calloc(all + 1, sizeof *list);
  for (char **at = environ; list && *at; at++)
    if (!is_replaced(*at, settings))
      list[count++] = *at;
  for (; list && *settings; settings++)
    list[count++] = *settings;
  return list;
}

/* True if the environment has all the settings already. */
static bool is_set(const struct experiment *experiment)
{
  for (unsigned i = 0; i < EXPERIMENT_SETTINGS && experiment->settings[i]; i++) {
    bool found = false;
    for (char **at = environ; *at && !found; at++)
      found = strcasecmp(*at, experiment->settings[i]) == 0;
    if (!found)
      return false;
  }
  return true;
}

static bool is_listed(const struct experiments *experiments, const char *name)
{
  for (size_t i = 0; i < experiments->list.count; i++)
    if (strcmp(experiments->list.items[i].name, name) == 0)
      return true;
  return false;
}

/* Takes the experiment, or frees it if it is no change. */
static void take(struct maker *maker, struct experiment *experiment)
{
  bool good = experiment->name && experiment->settings[0];
  if (good && !is_set(experiment) && !is_listed(maker->list, experiment->name)) {
    if (vector_push(&maker->list->list, *experiment))
      return;
    good = false;
  }
  maker->failed |= !good;
  free_experiment(experiment);
}

/* The name is the settings, with a blank between them: "OMP_PROC_BIND=close OMP_PLACES=cores". */
__attribute__((format(printf, 4, 5))) static void add(struct maker *maker, enum account_kind kind, double predicted,
                                                      const char *format, ...)
{
  struct experiment experiment = {
      .kind = kind, .place = &maker->of->places[kind], .predicted = predicted, .name = NULL};
  va_list values;
  va_start(values, format);
  if (vasprintf(&experiment.name, format, values) < 0)
    experiment.name = NULL;
  va_end(values);
  const char *at = experiment.name;
  for (unsigned i = 0; at && *at && i + 1 < EXPERIMENT_SETTINGS; i++) {
    size_t length = strcspn(at, " ");
    experiment.settings[i] = strndup(at, length);
    at += length + (at[length] == ' ');
  }
  take(maker, &experiment);
}

/* An option of the JVM, behind the options of the environment. */
static void add_java(struct maker *maker, enum account_kind kind, double predicted, const char *option)
{
  const char *set = getenv(JAVA_OPTIONS_NAME);
  struct experiment experiment = {
      .kind = kind, .place = &maker->of->places[kind], .predicted = predicted, .name = strdup(option)};
  if (asprintf(&experiment.settings[0], JAVA_OPTIONS_NAME "=%s%s%s", set ? set : "", set ? " " : "", option) < 0)
    experiment.settings[0] = NULL;
  take(maker, &experiment);
}

/* Fewer threads also wait less for each other: how much less, no share of the account says. */
static double fewer_threads(const double *percent)
{
  double together = percent[ACCOUNT_GRAIN] + percent[ACCOUNT_SYNCHRONIZATION] + percent[ACCOUNT_TASKS] +
                    percent[ACCOUNT_RUNTIME] + percent[ACCOUNT_IMBALANCE];
  return 3 * together > percent[ACCOUNT_PROCESSORS] ? NAN : percent[ACCOUNT_PROCESSORS];
}

/* How many threads there are, and where they run. */
static void add_threads(struct maker *maker)
{
  const struct evidence *of = maker->of;
  const double *percent = of->percent;
  bool crowd = of->threads > of->processors, lacks = percent[ACCOUNT_PROCESSORS] >= ACCOUNT_THRESHOLD;
  if (crowd && lacks) {
    add(maker, ACCOUNT_PROCESSORS, fewer_threads(percent), "OMP_NUM_THREADS=%u", of->processors);
    add(maker, ACCOUNT_PROCESSORS, NAN, "OMP_WAIT_POLICY=passive");
    add(maker, ACCOUNT_PROCESSORS, NAN, "OMP_DYNAMIC=true");
  }
  if (of->threads < of->processors && percent[ACCOUNT_THREADS] >= ACCOUNT_THRESHOLD)
    add(maker, ACCOUNT_THREADS, percent[ACCOUNT_THREADS], "OMP_NUM_THREADS=%u", of->processors);
  const char *bound = getenv("OMP_PROC_BIND");
  if (!crowd && lacks && bound && strcasecmp(bound, "false") != 0)
    add(maker, ACCOUNT_PROCESSORS, percent[ACCOUNT_PROCESSORS], "OMP_PROC_BIND=false");
  enum account_kind place = percent[ACCOUNT_MEMORY] >= ACCOUNT_THRESHOLD ? ACCOUNT_MEMORY : ACCOUNT_PROCESSORS;
  if (!crowd && of->threads > 1 && percent[place] >= ACCOUNT_THRESHOLD) {
    add(maker, place, NAN, "OMP_PROC_BIND=close OMP_PLACES=cores");
    add(maker, place, NAN, "OMP_PROC_BIND=spread OMP_PLACES=cores");
  }
}

/* What threads cost each other. */
static void add_together(struct maker *maker)
{
  static const enum account_kind kinds[] = {ACCOUNT_GRAIN, ACCOUNT_SYNCHRONIZATION, ACCOUNT_TASKS, ACCOUNT_RUNTIME,
                                            ACCOUNT_MEMORY};
  const struct evidence *of = maker->of;
  if (of->late >= ACCOUNT_THRESHOLD && of->threads <= of->processors)
    add(maker, ACCOUNT_RUNTIME, of->late, "OMP_WAIT_POLICY=active");
  enum account_kind most = kinds[0];
  for (size_t i = 1; i < sizeof kinds / sizeof *kinds; i++)
    if (of->percent[kinds[i]] > of->percent[most])
      most = kinds[i];
  if (of->percent[most] >= ACCOUNT_THRESHOLD && of->threads > 1 && of->threads <= of->processors)
    add(maker, most, NAN, "OMP_NUM_THREADS=%u", of->threads / 2);
}

/* What a schedule could win in all loops that follow OMP_SCHEDULE; they all get the same. The first chunk of guided is
 * half of a thread's share: whether this is even, only simulated chunks say. */
static double gain_of(const struct evidence *of, const struct plan *plan)
{
  double gain = 0;
  for (size_t i = 0; i < of->loops.count; i++) {
    const struct evidence_loop *loop = &of->loops.items[i];
    if (loop->runtime && plan->kind == PLAN_GUIDED && !plan_same(&loop->best, plan))
      return NAN;
    if (loop->runtime)
      gain += plan_same(&loop->best, plan) ? loop->best_gain : loop->lost;
  }
  return gain;
}

static void add_schedule(struct maker *maker, const struct evidence_loop *loop, const struct plan *plan)
{
  struct experiment experiment = {
      .kind = ACCOUNT_IMBALANCE, .place = &loop->place, .predicted = gain_of(maker->of, plan), .name = NULL};
  char chunk[32] = "";
  if (plan->chunk > 0)
    snprintf(chunk, sizeof chunk, ",%llu", (unsigned long long)plan->chunk);
  if (asprintf(&experiment.settings[0], "OMP_SCHEDULE=%s%s", plan_kind_name(plan->kind), chunk) < 0)
    experiment.settings[0] = NULL;
  experiment.name = experiment.settings[0] ? strdup(experiment.settings[0]) : NULL;
  take(maker, &experiment);
}

/* By the loop that loses most. */
static void add_schedules(struct maker *maker)
{
  const struct evidence_loop *most = NULL;
  for (size_t i = 0; i < maker->of->loops.count; i++) {
    const struct evidence_loop *loop = &maker->of->loops.items[i];
    if (loop->runtime && loop->lost >= LOSS_WORTH && (!most || loop->lost > most->lost))
      most = loop;
  }
  if (!most)
    return;
  if (most->best.kind != PLAN_UNKNOWN)
    add_schedule(maker, most, &most->best);
  add_schedule(maker, most, &most->fits);
  add_schedule(maker, most, &(const struct plan){PLAN_DYNAMIC, 1});
  add_schedule(maker, most, &(const struct plan){PLAN_GUIDED, 0});
}

static bool names_collector(const char *text)
{
  const char *at = text ? strstr(text, "-XX:+Use") : NULL;
  return at && strstr(at, "GC");
}

/* Two collectors would be an error: what is chosen already stays. */
static void add_of_java(struct maker *maker, char *const *arguments)
{
  const struct evidence *of = maker->of;
  bool chosen = names_collector(getenv(JAVA_OPTIONS_NAME)) || names_collector(getenv("JDK_JAVA_OPTIONS"));
  for (; *arguments; arguments++)
    chosen |= names_collector(*arguments);
  if (!chosen && of->percent[ACCOUNT_COLLECTION] >= ACCOUNT_THRESHOLD) {
    add_java(maker, ACCOUNT_COLLECTION, NAN, "-XX:+UseParallelGC");
    add_java(maker, ACCOUNT_COLLECTION, NAN, "-XX:+UseSerialGC");
    add_java(maker, ACCOUNT_COLLECTION, NAN, "-XX:+UseG1GC");
  }
  char option[96];
  snprintf(option, sizeof option, "-Djava.util.concurrent.ForkJoinPool.common.parallelism=%u", 2 * of->processors);
  /* As many as processors execute tasks of the common pool: its workers, one less, and who waits for them. */
  double fewer = 1 - (double)of->processors / (2.0 * of->processors + 1);
  if (of->small_pool)
    add_java(maker, ACCOUNT_TASKS, of->pool * fewer, option);
}

/* Those with a prediction first, by it. */
static int by_promise(const void *a, const void *b)
{
  double left = ((const struct experiment *)a)->predicted, right = ((const struct experiment *)b)->predicted;
  left = isnan(left) ? -1 : left;
  right = isnan(right) ? -1 : right;
  return (right > left) - (right < left);
}

bool experiments_make(const struct evidence *evidence, char *const *arguments, struct experiments *experiments)
{
  struct maker maker = {.of = evidence, .list = experiments};
  size_t first = experiments->list.count;
  if (evidence->java) {
    add_of_java(&maker, arguments);
  } else {
    add_threads(&maker);
    add_together(&maker);
    add_schedules(&maker);
  }
  if (experiments->list.count > first)
    qsort(experiments->list.items + first, experiments->list.count - first, sizeof *experiments->list.items,
          by_promise);
  return !maker.failed;
}
