#include "analyzer/commands/why_readings.h"

#include "analyzer/live/tasks.h"
#include "analyzer/why/why.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define SECOND_NS 1000000000u

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
  (void)number;
  interrupted = 1;
}

void why_catch_interrupts(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaction(numbers[i], &action, NULL);
}

bool why_interrupted(void)
{
  return interrupted;
}

void why_rest(uint64_t ns)
{
  struct timespec left = {.tv_sec = (time_t)(ns / SECOND_NS), .tv_nsec = (long)(ns % SECOND_NS)};
  if (!interrupted)
    nanosleep(&left, NULL);
}

static void moment_free(struct why_moment *moment)
{
  if (moment->tasks)
    live_reading_free(&moment->reading);
  free(moment->tasks);
  moment->tasks = NULL;
}

static bool take_moment(struct live *live, long pid, struct why_moment *moment, struct error *error)
{
  moment->tasks = NULL;
  if (!live_read(live, &moment->reading, error))
    return false;
  moment->tasks = calloc(moment->reading.location_count + 1, sizeof *moment->tasks);
  if (!moment->tasks) {
    live_reading_free(&moment->reading);
    return error_set(error, "out of memory");
  }
  for (uint32_t i = 0; i < moment->reading.location_count; i++)
    if (!moment->reading.threads[i].over)
      moment->tasks[i] = live_task_read((uint64_t)pid, moment->reading.threads[i].tid);
  return true;
}

static uint64_t ticks_of(const struct trace *trace, uint64_t ns, uint64_t before_ns)
{
  return ns > before_ns ? (uint64_t)((double)(ns - before_ns) / SECOND_NS * (double)trace->ticks_per_second) : 0;
}

static struct why_task *tasks_between(const struct why_moment *before, const struct why_moment *now)
{
  struct why_task *tasks = calloc(now->reading.location_count + 1, sizeof *tasks);
  for (uint32_t i = 0; tasks && i < before->reading.location_count; i++) {
    const struct live_task *from = &before->tasks[i], *to = &now->tasks[i];
    const struct trace *trace = now->reading.trace;
    if (from->known && to->known)
      tasks[i] = (struct why_task){true, ticks_of(trace, to->on_ns, from->on_ns),
                                   ticks_of(trace, to->queued_ns, from->queued_ns)};
  }
  return tasks;
}

static bool search(const struct why_moment *before, const struct why_moment *now, double threshold, const char *orders,
                   struct findings *findings, struct why *why)
{
  struct live_reading between = {.threads = NULL};
  struct why_task *tasks = tasks_between(before, now);
  bool good = tasks && live_between(&before->reading, &now->reading, &between);
  struct why_sums sums = {now->reading.trace, &between.profile, tasks, false, orders};
  *findings = (struct findings){.list = NULL};
  *why = (struct why){.threshold = threshold};
  good = good && why_of_sums(&sums, threshold, findings, why);
  live_reading_free(&between);
  free(tasks);
  return good;
}

static void part_free(struct why_part *part)
{
  why_free(&part->why);
  findings_free(&part->findings);
}

bool why_readings_begin(struct why_readings *readings, struct live *live, long pid, const char *orders,
                        struct error *error)
{
  *readings = (struct why_readings){.live = live, .pid = pid, .orders = orders};
  if (!take_moment(live, pid, &readings->first, error))
    return false;
  readings->now = readings->first;
  return true;
}

bool why_readings_part(struct why_readings *readings, struct error *error)
{
  struct why_moment now;
  struct why_part part;
  if (!take_moment(readings->live, readings->pid, &now, error))
    return false;
  bool good = search(&readings->now, &now, FINDINGS_WORTH, readings->orders, &part.findings, &part.why) &&
              vector_push(&readings->parts, part);
  if (!good)
    part_free(&part);
  if (readings->now.tasks != readings->first.tasks)
    moment_free(&readings->now);
  readings->now = now;
  return good || error_set(error, "out of memory");
}

bool why_readings_look(struct why_readings *readings, double threshold, struct error *error)
{
  size_t count = readings->parts.count;
  struct why *trees = calloc(count + 1, sizeof *trees);
  for (size_t i = 0; trees && i < count; i++)
    trees[i] = readings->parts.items[i].why;
  part_free(&readings->whole);
  bool good = search(&readings->first, &readings->now, threshold, readings->orders, &readings->whole.findings,
                     &readings->whole.why) &&
              trees && why_join(&readings->whole.why, trees, count);
  free(trees);
  return good || error_set(error, "out of memory");
}

void why_readings_free(struct why_readings *readings)
{
  for (size_t i = 0; i < readings->parts.count; i++)
    part_free(&readings->parts.items[i]);
  vector_free(&readings->parts);
  part_free(&readings->whole);
  if (readings->now.tasks != readings->first.tasks)
    moment_free(&readings->now);
  moment_free(&readings->first);
}
