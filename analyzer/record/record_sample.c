#include "analyzer/record/record_sample.h"

#include "analyzer/command/command.h"
#include "analyzer/command/values.h"
#include "analyzer/record/machine_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define COPY_LEAST 512u
#define TIMER_NS   10000000u

/* timer, timer:5ms */
static bool is_timer(const char *value)
{
  return value && strncmp(value, "timer", 5) == 0 && (value[5] == '\0' || value[5] == ':');
}

static int take_timer(const char *period, struct record_sample *sample)
{
#if !defined(__x86_64__)
  return command_usage("record", "--sample=timer is for x86-64 alone");
#endif
  sample->timer_ns = *period == ':' ? kernel_triggers_time(period + 1) : TIMER_NS;
  if (sample->timer_ns == 0)
    return command_usage("record",
                         "--sample=timer%s: give the processor time between two samples, from 100us to 1s, "
                         "as timer:10ms",
                         period);
  return -1;
}

int record_sample_take(const struct option_given *given, struct record_sample *sample)
{
  const char *wrong;
  int length;
  sample->sampling.triggers.count = 0;
  sample->timer_ns = 0;
  if (is_timer(given->value))
    return take_timer(given->value + 5, sample);
  const char *objection =
      kernel_triggers_read(&sample->sampling.triggers, given->value ? given->value : "cpu", &wrong, &length);
  if (!objection)
    return -1;
  return command_usage("record", "--sample: '%.*s' %s; there are: %s", length, wrong, objection,
                       kernel_triggers_names());
}

/* 8K, 16384, ... False: it is none, or out of bounds. */
static bool read_bytes(const char *text, uint32_t *bytes)
{
  char digits[16];
  size_t length = strlen(text);
  bool kibi = length > 1 && (text[length - 1] == 'K' || text[length - 1] == 'k');
  uint64_t number, unit = kibi ? 1024 : 1;
  if (length >= sizeof digits)
    return false;
  snprintf(digits, sizeof digits, "%.*s", (int)(kibi ? length - 1 : length), text);
  if (!value_number(digits, COPY_LEAST / unit, 65536 / unit, &number))
    return false;
  number = number * unit / 8 * 8;
  *bytes = number > KERNEL_COPY_MOST ? KERNEL_COPY_MOST : (uint32_t)number;
  return *bytes >= COPY_LEAST;
}

int record_sample_take_stack(const struct option_given *given, struct record_sample *sample)
{
  static const char dwarf[] = "dwarf";
  struct kernel_sampling *sampling = &sample->sampling;
  const char *value = given->value;
  size_t length = sizeof dwarf - 1;
  sample->stack_given = true;
  sampling->copy_bytes = 0;
  if (strcmp(value, "none") == 0)
    sampling->stacks = KERNEL_STACKS_NONE;
  else if (strcmp(value, "fp") == 0)
    sampling->stacks = KERNEL_STACKS_FP;
  else if (strncmp(value, dwarf, length) == 0 &&
           (value[length] == '\0' || (value[length] == ':' && read_bytes(value + length + 1, &sampling->copy_bytes))))
    sampling->stacks = KERNEL_STACKS_COPY;
  else
    return command_usage("record",
                         "--stack=%s: give none, fp, dwarf, or dwarf with the bytes of each copy, from 512 to 64K: "
                         "--stack=dwarf:16K",
                         value);
#if !defined(__x86_64__)
  if (sampling->stacks == KERNEL_STACKS_COPY)
    return command_usage("record", "--stack=dwarf is for x86-64 alone: give --stack=fp");
#endif
  return -1;
}

bool record_sample_check(struct record_sample *sample, const char *other)
{
  bool wanted = sample->sampling.triggers.count > 0;
  if (!wanted && sample->stack_given)
    command_usage("record", sample->timer_ns ? "--stack is for samples that the kernel takes: leave it out"
                                             : "--stack is for samples: give --sample, too");
  else if (sample->timer_ns && other && strcmp(other, "--no-switches") != 0)
    command_usage("record", "--sample=timer takes no samples with %s: leave one of them out", other);
  else if (sample->none && (wanted || sample->timer_ns))
    command_usage("record", "--sample takes no samples with --no-samples: leave one of them out");
  else if (wanted && other)
    command_usage("record", "--sample takes no samples with %s: leave one of them out", other);
  else {
#if defined(__x86_64__)
    if (!sample->stack_given)
      sample->sampling.stacks = KERNEL_STACKS_COPY;
#endif
    if (sample->sampling.copy_bytes == 0)
      sample->sampling.copy_bytes = kernel_samples_copy(&sample->sampling.triggers);
    return true;
  }
  return false;
}

void record_sample_default(struct record_sample *sample)
{
  if (sample->sampling.triggers.count == 0 && sample->timer_ns == 0 && !sample->none)
    kernel_samples_default(&sample->sampling);
}

uint64_t record_sample_java_period(struct record_sample *sample)
{
  struct kernel_triggers *triggers = &sample->sampling.triggers;
  struct timespec resolution = {0};
  unsigned i = 0;
  while (i < triggers->count && !triggers->list[i].by_time)
    i++;
  if (i == triggers->count)
    return 0;
  clock_getres(CLOCK_MONOTONIC_COARSE, &resolution);
  uint64_t tick = (uint64_t)resolution.tv_sec * 1000000000u + (uint64_t)resolution.tv_nsec;
  if (triggers->list[i].period < tick) {
    command_error("record",
                  "samples are %g ms of processor time apart, because Java threads are sampled: their timers are no "
                  "finer than the kernel's tick",
                  (double)tick / 1e6);
    triggers->list[i].period = tick;
  }
  return triggers->list[i].period;
}

void record_sample_refused(const struct record_sample *sample, int error, bool java)
{
  const struct kernel_triggers *triggers = &sample->sampling.triggers;
  const char *which = java ? "no samples of native code" : "no samples";
  if (triggers->count == 0 || sample->sampling.beside)
    return;
  if (error == EACCES || error == EPERM)
    command_error("record", "%s: the kernel does not allow perf events to this user; %s", which,
                  machine_check_remedy(MACHINE_PERF_EVENTS));
  else if (error != 0)
    command_error("record", "%s: the kernel refuses perf events: %s", which, strerror(error));
  for (unsigned i = 0; error == 0 && i < triggers->count; i++)
    if (triggers->list[i].refused == ENOENT || triggers->list[i].refused == EOPNOTSUPP)
      command_error("record", "no samples of %s: this machine does not count them", triggers->list[i].name);
    else if (triggers->list[i].refused != 0)
      command_error("record", "no samples of %s: the kernel refuses them: %s", triggers->list[i].name,
                    strerror(triggers->list[i].refused));
}

void kernel_log_session_end(struct kernel_log_session *session, const char *command)
{
  uint64_t lost = 0;
  int error = session->events ? kernel_events_end(session->events, &lost) : 0;
  const char *unknown = session->samples_alone ? "which code ran" : "when threads had a processor";
  if (error != 0)
    command_error(command, "%s: cannot be written: %s: %s is not known from then on", session->shown, strerror(error),
                  unknown);
  else if (lost > 0)
    command_error(command, "%s: the log is full: %s is not known from then on (%" PRIu64 " events)", session->shown,
                  unknown, lost);
}
