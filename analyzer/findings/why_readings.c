#include "analyzer/findings/why_readings.h"

#include "analyzer/findings/why/why.h"
#include "analyzer/live/readings/live.h"
#include "base/count_of.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#define WHY_READINGS_SECOND_NS 1000000000u

static volatile sig_atomic_t why_readings_interrupted;

static void why_readings_interrupt(int number)
{
  (void)number;
  why_readings_interrupted = 1;
}

void why_catch_interrupts(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = why_readings_interrupt, .sa_flags = SA_RESTART};
  for (size_t i = 0; i < COUNT_OF(numbers); i++)
    sigaction(numbers[i], &action, NULL);
}

bool why_interrupted(void)
{
  return why_readings_interrupted;
}

void why_rest(uint64_t ns)
{
  struct timespec left = {.tv_sec = (time_t)(ns / WHY_READINGS_SECOND_NS),
                          .tv_nsec = (long)(ns % WHY_READINGS_SECOND_NS)};
  if (!why_readings_interrupted)
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

static uint64_t why_readings_ticks_of(const struct trace *trace, uint64_t ns)
{
  return (uint64_t)((double)ns / WHY_READINGS_SECOND_NS * (double)trace->ticks_per_second);
}

/* own: part of the time in a queue that the search itself causes (why_readings.h); NULL: nothing. */
static struct why_task *tasks_between(const struct why_moment *before, const struct why_moment *now,
                                      const struct why_readings *own)
{
  struct why_task *tasks = calloc(now->reading.location_count + 1, sizeof *tasks);
  for (uint32_t i = 0; tasks && i < before->reading.location_count; i++) {
    uint64_t own_ns = own && i < own->own_queued.count ? own->own_queued.items[i] : 0;
    struct live_task task = live_task_between(before->tasks[i], now->tasks[i], own_ns);
    tasks[i] = (struct why_task){task.known, why_readings_ticks_of(now->reading.trace, task.on_ns),
                                 why_readings_ticks_of(now->reading.trace, task.queued_ns)};
  }
  return tasks;
}

static bool search(const struct why_moment *before, const struct why_moment *now, const struct why_readings *own,
                   double threshold, const char *orders, struct findings *findings, struct why *why)
{
  struct live_reading between = {.threads = NULL};
  struct why_task *tasks = tasks_between(before, now, own);
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

/* Processor time that the search and what it has started have used so far, but for the reader of the live process. */
static uint64_t own_time_ns(void)
{
  static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
  uint64_t us = 0;
  for (size_t i = 0; i < COUNT_OF(whose); i++) {
    struct rusage usage;
    if (getrusage(whose[i], &usage) == 0)
      us += (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000u +
            (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  }
  return us * 1000;
}

/* The next part begins at this moment. */
static void go_on_from(struct why_readings *readings, struct why_moment now)
{
  readings->own_ns = own_time_ns();
  if (readings->now.tasks != readings->first.tasks)
    moment_free(&readings->now);
  readings->now = now;
}

bool why_readings_part(struct why_readings *readings, struct error *error)
{
  struct why_moment now;
  struct why_part part;
  if (!take_moment(readings->live, readings->pid, &now, error))
    return false;
  bool good = search(&readings->now, &now, NULL, FINDINGS_WORTH, readings->orders, &part.findings, &part.why) &&
              vector_push(&readings->parts, part);
  if (!good)
    part_free(&part);
  go_on_from(readings, now);
  return good || error_set(error, "out of memory");
}

bool why_readings_own_part(struct why_readings *readings, struct error *error)
{
  struct why_moment now;
  if (!take_moment(readings->live, readings->pid, &now, error))
    return false;
  bool good = true;
  uint64_t most = own_time_ns() - readings->own_ns;
  for (uint32_t i = 0; good && i < readings->now.reading.location_count; i++) {
    uint64_t queued = live_task_between(readings->now.tasks[i], now.tasks[i], 0).queued_ns;
    good = i < readings->own_queued.count || vector_push(&readings->own_queued, 0);
    if (good)
      readings->own_queued.items[i] += queued < most ? queued : most;
  }
  go_on_from(readings, now);
  return good || error_set(error, "out of memory");
}

bool why_readings_look(struct why_readings *readings, double threshold, struct error *error)
{
  size_t count = readings->parts.count;
  struct why *trees = calloc(count + 1, sizeof *trees);
  for (size_t i = 0; trees && i < count; i++)
    trees[i] = readings->parts.items[i].why;
  part_free(&readings->whole);
  bool good = search(&readings->first, &readings->now, readings, threshold, readings->orders, &readings->whole.findings,
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
  vector_free(&readings->own_queued);
  part_free(&readings->whole);
  if (readings->now.tasks != readings->first.tasks)
    moment_free(&readings->now);
  moment_free(&readings->first);
}
