#include "analyzer/findings/scale/scale.h"

#include <math.h>
#include <stdio.h>

/* A model that misses what was measured by more is not believed. */
#define ERROR_MOST 0.10

enum limit { LIMIT_SERIAL, LIMIT_ALONE, LIMIT_LOCK, LIMIT_BALANCE, LIMIT_LONGER, LIMIT_RUNTIME, LIMIT_TASKS, LIMITS };

static const char *const limit_names[LIMITS] = {
    [LIMIT_SERIAL] = "one thread works outside of parallel regions",
    [LIMIT_ALONE] = "one thread works alone",
    [LIMIT_LOCK] = "threads wait for a lock",
    [LIMIT_BALANCE] = "chunks are too few or differ",
    [LIMIT_LONGER] = "the same work takes longer",
    [LIMIT_RUNTIME] = "starting, ending and imbalance of regions",
    [LIMIT_TASKS] = "tasks depend on each other",
};

/* A time with its bounds, s. */
struct range {
  double time, low, high;
};

static void range_add(struct range *to, struct range add)
{
  to->time += add.time;
  to->low += add.low;
  to->high += add.high;
}

/* One number of threads, as it is put together. */
struct sum {
  struct range all;
  double lost[LIMITS], ideal;
  double most[LIMITS]; /* the largest part of one construct; its name is in names */
  const char *names[LIMITS];
};

static void lose(struct sum *sum, enum limit limit, const char *name, double time)
{
  if (time <= 0)
    return;
  sum->lost[limit] += time;
  if (time > sum->most[limit])
    sum->most[limit] = time, sum->names[limit] = name;
}

/* All that does not depend on the number of threads that is predicted. */
struct model {
  const struct scale_runs *runs;
  const struct scale_run *base; /* with the most threads; its parts are replayed */
  double serial;                /* s outside of parallel regions */
};

struct laws {
  struct scale_law law, low, high;
};

static bool same_part(const struct scale_part *a, const struct scale_part *b)
{
  return a->form == b->form && a->line == b->line && strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

/* Fits the work of a region in all runs. False: out of memory. */
static bool laws_of(const struct model *model, const struct scale_part *region, struct laws *laws)
{
  struct scale_work *works = calloc(model->runs->list.count + 1, sizeof *works);
  size_t count = 0;
  for (size_t i = 0; works && i < model->runs->list.count; i++) {
    const struct scale_run *run = &model->runs->list.items[i];
    double work = 0;
    for (size_t k = 0; k < run->parts.count; k++)
      work += same_part(&run->parts.items[k], region) ? run->parts.items[k].work : 0;
    if (work > 0)
      works[count++] = (struct scale_work){run->threads, work};
  }
  if (works)
    scale_fit(works, count, &laws->law, &laws->low, &laws->high);
  free(works);
  return works != NULL;
}

/* How many times longer the same work takes than in the recorded run. */
static struct range growth(const struct model *model, const struct laws *laws, double threads)
{
  double base = model->base->threads, at = scale_law_at(&laws->law, threads) / scale_law_at(&laws->law, base);
  if (threads <= base)
    return (struct range){at, at, at};
  return (struct range){at, fmin(at, scale_law_at(&laws->low, threads) / scale_law_at(&laws->low, base)),
                        fmax(at, scale_law_at(&laws->high, threads) / scale_law_at(&laws->high, base))};
}

/*
 * The wait for a lock, s of the run, if `work` includes the time in which it is held. If all holds take as long,
 * nobody waits until the lock is always held. If they vary as exponential ones, mean value analysis has the wait.
 */
static struct range lock_delay(const struct scale_part *lock, double work, double threads)
{
  double held = fmin(lock->work, work), think = (work - held) / lock->calls, hold = held / lock->calls;
  double queue = 0, turn = hold;
  for (unsigned i = 1; i <= (unsigned)threads; i++) {
    turn = hold * (1 + queue);
    queue = i / (turn + think) * turn;
  }
  double least = fmax(0, held - work / threads);
  double most = fmax(least, lock->calls * (turn + think) / threads - work / threads);
  return (struct range){(least + most) / 2, least, most};
}

static int team_of(const struct scale_runs *runs, unsigned threads)
{
  for (uint32_t i = 0; i < runs->team_count; i++)
    if (runs->teams[i] == threads)
      return (int)i;
  return -1;
}

static struct range loop_time(const struct model *model, const struct scale_part *loop, unsigned threads)
{
  int team = team_of(model->runs, threads);
  if (threads == model->base->threads || team < 0)
    return (struct range){loop->before, loop->before, loop->before};
  double time = loop->teams[team], least = loop->least[team];
  return (struct range){time, least, least > 0 ? time * time / least : time};
}

/* The parts of a region with `threads` threads, without what the runtime adds. */
static struct range region_parts(const struct model *model, const struct scale_part *region, const struct laws *laws,
                                 unsigned threads, struct sum *sum)
{
  struct range time = {0}, more = growth(model, laws, threads);
  double rest = region->work;
  for (size_t i = 0; i < model->base->parts.count; i++) {
    const struct scale_part *part = &model->base->parts.items[i];
    if (part->parallel != region->parallel || part->form == SCALE_REGION || part->form == SCALE_LOCK)
      continue;
    struct range loop = {part->wall, part->wall, part->wall};
    rest -= part->work;
    if (part->form == SCALE_LOOP) {
      loop = loop_time(model, part, threads);
      lose(sum, LIMIT_BALANCE, part->name, (loop.time - part->work / threads) * more.time);
      loop = (struct range){loop.time * more.time, loop.low * more.low, loop.high * more.high};
    } else {
      lose(sum, LIMIT_ALONE, part->name, part->wall * (1 - 1.0 / threads));
    }
    range_add(&time, loop);
  }
  double even = fmax(rest, 0) / threads;
  range_add(&time, (struct range){even * more.time, even * more.low, even * more.high});
  double first = region->work / scale_law_at(&laws->law, model->base->threads); /* work of one thread */
  lose(sum, LIMIT_LONGER, region->name, (region->work * more.time - first) / threads);
  sum->ideal += first / threads;
  for (size_t i = 0; i < model->base->parts.count; i++) {
    const struct scale_part *lock = &model->base->parts.items[i];
    if (lock->parallel != region->parallel || lock->form != SCALE_LOCK)
      continue;
    struct range delay = lock_delay(lock, region->work, threads);
    lose(sum, LIMIT_LOCK, lock->name, delay.time);
    range_add(&time, delay);
  }
  return time;
}

/* A region: its parts, and what the recorded run had beside them, which is nothing that is known better. */
static bool add_region(const struct model *model, const struct scale_part *region, unsigned threads, struct sum *sum)
{
  struct laws laws;
  struct sum unused = {0};
  if (!laws_of(model, region, &laws))
    return false;
  unsigned base = model->base->threads;
  double before = region_parts(model, region, &laws, base, &unused).time;
  struct range time = region_parts(model, region, &laws, threads, sum);
  double scale = before > region->wall ? region->wall / before : 1; /* constructs without barriers overlap */
  double rest = fmax(0, region->wall - before), runtime_before = fmin(rest, region->runtime);
  double depth = (1 + log2(threads)) / (1 + log2(base)), share = (double)base / threads;
  /* The runtime meets as a tree, or one thread after the other. What else is uneven is uneven in smaller shares. */
  struct range runtime = {runtime_before * depth + (rest - runtime_before) * share, rest * share,
                          runtime_before * fmax(1, 1 / share) + (rest - runtime_before)};
  if (threads < base)
    runtime.low = runtime.high = runtime.time;
  lose(sum, LIMIT_RUNTIME, region->name, runtime.time);
  range_add(&sum->all, (struct range){time.time * scale, time.low * scale, time.high * scale});
  range_add(&sum->all, runtime);
  return true;
}

static bool put_together(const struct model *model, unsigned threads, struct sum *sum)
{
  *sum = (struct sum){.all = {model->serial, model->serial, model->serial}, .ideal = model->serial / threads};
  lose(sum, LIMIT_SERIAL, NULL, model->serial * (1 - 1.0 / threads));
  for (size_t i = 0; i < model->base->parts.count; i++)
    if (model->base->parts.items[i].form == SCALE_REGION &&
        !add_region(model, &model->base->parts.items[i], threads, sum))
      return false;
  double span = fmin(model->base->span, model->base->duration);
  lose(sum, LIMIT_TASKS, NULL, span - sum->all.time);
  sum->all.time = fmax(sum->all.time, span);
  sum->all.low = fmax(sum->all.low, span);
  sum->all.high = fmax(sum->all.high, span);
  return true;
}

/* The largest relative error at the numbers that were measured, beside the base. False: an error. */
static bool check_model(const struct model *model, const struct scale *scale, double *error_most, struct error *error)
{
  *error_most = 0;
  for (size_t i = 0; i + 1 < scale->steps.count; i++) {
    const struct scale_run *run = scale->steps.items[i].run;
    struct sum sum;
    if (team_of(model->runs, run->threads) < 0)
      continue;
    if (!put_together(model, run->threads, &sum))
      return error_set(error, "out of memory");
    double off = fabs(sum.all.time / run->duration - 1);
    if (off > ERROR_MOST)
      return error_set(error,
                       "no prediction: from the run with %u threads, the model has %.3g s for %u. Measured are "
                       "%.3g s: the runs differ by more than their threads",
                       model->base->threads, sum.all.time, run->threads, run->duration);
    *error_most = fmax(*error_most, off);
  }
  return true;
}

static void conclude(const struct model *model, const struct sum *sum, unsigned threads, double off,
                     struct scale_prediction *prediction)
{
  enum limit first = LIMIT_SERIAL;
  for (enum limit i = 0; i < LIMITS; i++)
    if (sum->lost[i] > sum->lost[first])
      first = i;
  *prediction = (struct scale_prediction){.threads = threads,
                                          .time = sum->all.time,
                                          .low = sum->all.low * (1 - off),
                                          .high = sum->all.high * (1 + off),
                                          .ideal = sum->ideal,
                                          .limit = limit_names[first],
                                          .limit_name = sum->names[first],
                                          .limit_time = sum->lost[first],
                                          .measured = threads <= model->base->threads};
}

bool scale_predict(const struct scale_runs *runs, const struct scale *scale, uint32_t first,
                   struct scale_prediction *predictions, struct error *error)
{
  struct model model = {.runs = runs, .base = scale->steps.items[scale->steps.count - 1].run};
  double off;
  model.serial = model.base->duration;
  bool any = false;
  for (size_t i = 0; i < model.base->parts.count; i++) {
    const struct scale_part *part = &model.base->parts.items[i];
    any |= part->form == SCALE_REGION;
    model.serial -= part->form == SCALE_REGION ? part->wall : 0;
  }
  model.serial = fmax(model.serial, 0);
  if (!any)
    return error_set(error, "no prediction: the runs have no parallel regions of OpenMP");
  if (model.base->usable > 0 && model.base->threads > model.base->usable)
    return error_set(error, "no prediction: a run has %u threads on %u processors", model.base->threads,
                     model.base->usable);
  if (!check_model(&model, scale, &off, error))
    return false;
  for (uint32_t i = first; i < runs->team_count; i++) {
    struct sum sum;
    if (!put_together(&model, runs->teams[i], &sum))
      return error_set(error, "out of memory");
    conclude(&model, &sum, runs->teams[i], off, &predictions[i - first]);
  }
  return true;
}
