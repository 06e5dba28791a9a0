#include "otf2-convert/plan/plan_clock.h"

#include "common/recorder/clock.h"
#include "otf2-convert/messages.h"
#include "otf2-convert/scan/kernel_log.h"

#include <stdlib.h>
#include <string.h>

#define ROUNDS_APART_NS 50000000u /* more anchors of a log add nothing */
#define SPAN_ENOUGH_NS  1000000u

/* The clock of a process' machine; NULL: memory is short. */
static struct plan_clock *clock_of(struct plan_clocks *clocks, const struct process_info *info)
{
  for (size_t i = 0; i < clocks->list.count; i++) {
    struct plan_clock *clock = &clocks->list.items[i];
    if (clock->boot_id != NULL && info->boot_id != NULL && strcmp(clock->boot_id, info->boot_id) == 0)
      return clock;
  }
  struct plan_clock clock = {
      .boot_id = info->boot_id, .realtime_ns = info->first.realtime_ns, .monotonic_ns = info->first.monotonic_ns};
  return vector_push(&clocks->list, clock) ? &clocks->list.items[clocks->list.count - 1] : NULL;
}

/* A process that was killed soon has one anchor of its own; the headers of its chunks have more, less exact ones. */
static bool add_chunks(struct clock_map *map, const struct process *process)
{
  bool good = true;
  for (uint32_t i = 0; i < process->raw.log_count && good; i++) {
    struct raw_place place = {0};
    struct raw_chunk chunk;
    uint64_t last = process->info.first.monotonic_ns;
    while (good && raw_log_next(&process->raw.logs[i], &place, &chunk))
      if (chunk.anchor_ns >= last + SPAN_ENOUGH_NS) {
        good = clock_map_add(map, (struct anchor){.ticks = chunk.anchor_ticks, .monotonic_ns = chunk.anchor_ns});
        last = chunk.anchor_ns;
      }
  }
  return good;
}

/* The clocks of now, if that is the process' counter. */
static bool add_now(struct clock_map *map, const struct process *process)
{
  if (!process->same_boot || clock_counter_fault() != NULL)
    return true;
  clock_use(true);
  struct clock_anchor now = clock_anchor_take(50);
  return clock_map_add(map, (struct anchor){.ticks = now.ticks, .monotonic_ns = now.monotonic_ns, .width = now.width});
}

static bool add_anchors_of(struct clock_map *map, const struct process *process)
{
  const struct process_info *info = &process->info;
  bool good = true;
  for (size_t i = 0; i < info->all_anchors.count && good; i++)
    good = clock_map_add(map, info->all_anchors.items[i]);
  if (good && info->anchors == 1)
    good = add_chunks(map, process);
  if (good && info->anchors > 0 && info->last.monotonic_ns - info->first.monotonic_ns < SPAN_ENOUGH_NS)
    good = add_now(map, process);
  return good;
}

/* The rounds of a log of `heddle record`: it read the counter, too. */
static bool add_rounds(struct clock_map *map, struct kernel_log *log)
{
  struct kernel_moment moment;
  uint64_t last = 0;
  bool good = true;
  while (good && kernel_log_skip_to_round(log, &moment))
    if (moment.stamp != 0 && (last == 0 || moment.monotonic > last + ROUNDS_APART_NS)) {
      good = clock_map_add(map, (struct anchor){.ticks = moment.stamp, .monotonic_ns = moment.monotonic});
      last = moment.monotonic;
    }
  return good;
}

static bool add_logs(struct plan_clocks *clocks, int trace_fd)
{
  DIR *list = kernel_log_directory(trace_fd, KERNEL_LOG_DIRECTORY);
  struct dirent *entry;
  bool good = true;
  while (good && list != NULL && (entry = readdir(list)) != NULL) {
    struct kernel_log log;
    if (!kernel_log_is_name(entry->d_name) || !kernel_log_open(&log, dirfd(list), entry->d_name))
      continue;
    for (size_t i = 0; i < clocks->list.count && good; i++) {
      struct plan_clock *clock = &clocks->list.items[i];
      if (clock->has_counter && clock->boot_id != NULL && strcmp(clock->boot_id, log.header.boot_id) == 0)
        good = add_rounds(&clock->map, &log);
    }
    kernel_log_close(&log);
  }
  if (list != NULL)
    closedir(list);
  return good;
}

static void say_jumps(const struct plan_clock *clock)
{
  const struct clock_jump *jump = &clock->map.jumps[0];
  if (clock->map.jump_count > 0)
    message_note(
        "the clock jumped %.3f s %s, as when a machine is suspended or moved%s: events between two readings of it, "
        "%.3f s apart, have times of about",
        (double)(jump->ahead < 0 ? -jump->ahead : jump->ahead) / 1e9, jump->ahead < 0 ? "back" : "ahead",
        clock->map.jump_count > 1 ? ", and again" : "", (double)(jump->to - jump->from) / 1e9);
}

/* What is added to ns of the machine's CLOCK_MONOTONIC to get times of the archive. */
static int64_t shift_of(const struct plan_clocks *clocks, const struct plan_clock *clock)
{
  return clocks->one ? 0 : (int64_t)(clock->realtime_ns - clock->monotonic_ns);
}

static void give_clock(const struct plan_clocks *clocks, const struct plan_clock *clock, struct process *process)
{
  const struct process_info *info = &process->info;
  process->clock = info->clock_is_tsc && clock->map.rate > 0 ? &clock->map : NULL;
  process->frequency = process->clock != NULL ? clock->map.rate * 1e9 : 1e9;
  process->shift = shift_of(clocks, clock);
  if (info->clock_is_tsc && process->clock == NULL) {
    message_note("raw/%s: the clock cannot be calibrated: the unit of durations is unknown", process->directory);
    process->frequency = 0;
    process->shift += (int64_t)(info->first.monotonic_ns - info->first.ticks);
  }
}

bool plan_clock_choose(struct plan_clocks *clocks, struct process *processes, size_t count, int trace_fd)
{
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    struct plan_clock *clock = clock_of(clocks, &processes[i].info);
    good = clock != NULL;
    if (good && processes[i].info.clock_is_tsc) {
      clock->has_counter = true;
      good = add_anchors_of(&clock->map, &processes[i]);
    }
  }
  good = good && add_logs(clocks, trace_fd);
  clocks->one = clocks->list.count == 1;
  for (size_t i = 0; i < clocks->list.count && good; i++) {
    good = clock_map_finish(&clocks->list.items[i].map);
    say_jumps(&clocks->list.items[i]);
  }
  for (size_t i = 0, own = 0; i < count && good; i++) {
    const struct process_info *info = &processes[i].info;
    /* Machines without an id are in the order of their processes. */
    struct plan_clock *clock = info->boot_id != NULL ? clock_of(clocks, info) : NULL;
    while (clock == NULL && clocks->list.items[own].boot_id != NULL)
      own++;
    give_clock(clocks, clock != NULL ? clock : &clocks->list.items[own++], &processes[i]);
  }
  return good;
}

void plan_clock_free(struct plan_clocks *clocks)
{
  for (size_t i = 0; i < clocks->list.count; i++)
    clock_map_free(&clocks->list.items[i].map);
  vector_free(&clocks->list);
}

uint64_t plan_clock_time(const struct plan_clocks *clocks, size_t machine, uint64_t ns)
{
  struct process any = {.shift = shift_of(clocks, &clocks->list.items[machine])};
  return process_time_of_ns(&any, ns);
}

uint64_t plan_clock_realtime(const struct plan_clocks *clocks, uint64_t time)
{
  const struct plan_clock *first = clocks->list.items;
  if (!clocks->one)
    return time;
  if (first->realtime_ns > INT64_MAX || first->monotonic_ns > INT64_MAX || time > INT64_MAX)
    return 0;
  int64_t begin = (int64_t)first->realtime_ns - (int64_t)first->monotonic_ns;
  return begin < 0 && (int64_t)time < -begin ? 0 : (uint64_t)begin + time;
}
