#include "analyzer/export/arrows.h"

#include <stdlib.h>

/* Something that others may follow: a fork, a release. */
struct cause {
  uint64_t time;
  uint32_t location; /* TRACE_NONE: there was none */
};

struct export_arrows {
  const struct trace *trace;
  struct cause *teams; /* the last fork of each */
  struct cause *forks; /* of each location: the one whose team is not known yet */
  uint64_t *tasks_now; /* number of the task that each location executes */
  struct ref_map lock_of;
  struct cause *releases; /* the last one of each lock */
  uint32_t lock_count, lock_room;
  struct live_tasks tasks;
};

struct export_arrows *export_arrows_create(const struct trace *trace)
{
  struct export_arrows *arrows = calloc(1, sizeof *arrows);
  if (!arrows)
    return NULL;
  arrows->trace = trace;
  arrows->teams = calloc((size_t)trace->team_count + 1, sizeof *arrows->teams);
  arrows->forks = calloc((size_t)trace->location_count + 1, sizeof *arrows->forks);
  arrows->tasks_now = calloc((size_t)trace->location_count + 1, sizeof *arrows->tasks_now);
  if (!arrows->teams || !arrows->forks || !arrows->tasks_now) {
    export_arrows_destroy(arrows);
    return NULL;
  }
  for (uint32_t i = 0; i < trace->team_count; i++)
    arrows->teams[i].location = TRACE_NONE;
  for (uint32_t i = 0; i < trace->location_count; i++)
    arrows->forks[i].location = TRACE_NONE;
  return arrows;
}

void export_arrows_destroy(struct export_arrows *arrows)
{
  if (!arrows)
    return;
  free(arrows->teams);
  free(arrows->forks);
  free(arrows->tasks_now);
  free(arrows->releases);
  ref_map_free(&arrows->lock_of);
  live_tasks_free(&arrows->tasks);
  free(arrows);
}

/* The last release of a lock; locks of different processes are different. NULL: no memory. */
static struct cause *release_of(struct export_arrows *arrows, uint32_t location, uint32_t lock)
{
  uint64_t key = (uint64_t)(arrows->trace->locations[location].process + 1) << 32 | lock;
  uint32_t at = ref_map_get(&arrows->lock_of, key);
  if (at != REF_MAP_NONE)
    return &arrows->releases[at];
  if (arrows->lock_count == arrows->lock_room) {
    uint32_t room = arrows->lock_room ? 2 * arrows->lock_room : 16;
    struct cause *more = reallocarray(arrows->releases, room, sizeof *more);
    if (!more)
      return NULL;
    arrows->releases = more;
    arrows->lock_room = room;
  }
  if (!ref_map_set(&arrows->lock_of, key, arrows->lock_count))
    return NULL;
  arrows->releases[arrows->lock_count] = (struct cause){0, TRACE_NONE};
  return &arrows->releases[arrows->lock_count++];
}

/* The thread that forked joins the team first; the others follow it. */
static bool join_team(struct export_arrows *arrows, uint32_t location, uint32_t team, struct export_arrow *arrow)
{
  struct cause *fork = &arrows->forks[location];
  if (team == TRACE_NONE)
    return false;
  if (fork->location != TRACE_NONE) {
    arrows->teams[team] = *fork;
    fork->location = TRACE_NONE;
    return false;
  }
  const struct cause *cause = &arrows->teams[team];
  *arrow = (struct export_arrow){EXPORT_ARROW_FORK, cause->location, cause->time};
  return cause->location != TRACE_NONE && cause->location != location;
}

static bool acquire(struct export_arrows *arrows, uint32_t location, const struct item *item,
                    struct export_arrow *arrow, bool *found)
{
  const struct cause *cause = release_of(arrows, location, item->index);
  if (!cause)
    return false;
  *arrow = (struct export_arrow){EXPORT_ARROW_LOCK, cause->location, cause->time};
  *found = cause->location != TRACE_NONE && cause->location != location && cause->time > item->since;
  return true;
}

static bool release(struct export_arrows *arrows, uint32_t location, const struct item *item)
{
  struct cause *cause = release_of(arrows, location, item->index);
  if (cause)
    *cause = (struct cause){item->time, location};
  return cause != NULL;
}

static bool switch_task(struct export_arrows *arrows, uint32_t location, const struct item *item,
                        struct export_arrow *arrow)
{
  struct live_task *task = live_tasks_find(&arrows->tasks, item->index, item->creator, item->generation);
  arrows->tasks_now[location] = task ? task->number : 0;
  if (!task || task->started)
    return false;
  task->started = true;
  *arrow = (struct export_arrow){EXPORT_ARROW_TASK, task->location, task->created};
  return true;
}

bool export_arrows_take(struct export_arrows *arrows, uint32_t location, const struct item *item,
                        struct export_arrow *arrow, bool *found)
{
  struct live_task *task;
  *found = false;
  switch (item->kind) {
  case ITEM_FORK:
    arrows->forks[location] = (struct cause){item->time, location};
    return true;
  case ITEM_JOIN:
    arrows->forks[location].location = TRACE_NONE;
    return true;
  case ITEM_TEAM_BEGIN:
    *found = join_team(arrows, location, item->index, arrow);
    return true;
  case ITEM_ACQUIRE:
    return acquire(arrows, location, item, arrow, found);
  case ITEM_RELEASE:
    return release(arrows, location, item);
  case ITEM_TASK_CREATE:
    return live_tasks_create(&arrows->tasks, (struct live_task){.team = item->index,
                                                                .creator = item->creator,
                                                                .generation = item->generation,
                                                                .location = location,
                                                                .created = item->time});
  case ITEM_TASK_SWITCH:
    *found = switch_task(arrows, location, item, arrow);
    return true;
  case ITEM_TASK_COMPLETE:
    task = live_tasks_find(&arrows->tasks, item->index, item->creator, item->generation);
    if (task)
      live_tasks_end(&arrows->tasks, task);
    return true;
  default:
    return true;
  }
}

uint64_t export_arrows_task(const struct export_arrows *arrows, uint32_t location)
{
  return arrows->tasks_now[location];
}

const char *export_arrow_name(enum export_arrow_kind kind)
{
  static const char *const names[EXPORT_ARROW_KINDS] = {
      [EXPORT_ARROW_FORK] = "fork", [EXPORT_ARROW_LOCK] = "lock", [EXPORT_ARROW_TASK] = "task"};
  return names[kind];
}
