/*
 * Taskloops: libgomp makes the tasks. For each task it copies the program's data, by a function of the shim that
 * notices the new task. It writes the task's range of iterations into the first two words, which are the shim's header.
 *
 * If libgomp runs the tasks at once, it could hold all copies on the stack. Then it gets no function that copies
 * (unless the program has one), and uses one block again and again. The shim notices each task when it begins.
 */
#include "fortran-shim/gomp_task.h"
#include "fortran-shim/omitted.h"
#include "fortran-shim/task_state.h"

#include <alloca.h>
#include <stdlib.h>
#include <string.h>

/*
 * Data that the tasks of a taskloop share. With nogroup they outlive the call, and the last task frees them. Otherwise
 * they are on the stack of the call, which waits for the tasks.
 */
struct taskloop {
  void (*fn)(void *);
  void (*copy)(void *, void *);
  void *data;
  size_t size, offset;
  struct task *parent;
  int flags;
  bool wide; /* over unsigned long long */
  bool down;
  int64_t step;
  const void *code;
  bool grouped;
  unsigned long expected; /* tasks that the loop makes */
  unsigned long made;
  int state_before;
  atomic_long users; /* the call and the tasks that were made */
};

struct header {
  uint64_t range[2];
  void *third; /* where libgomp looks for the reductions */
  struct taskloop *loop;
  struct task *task; /* NULL: it is not reported */
  bool own;          /* the block is the task's own, which may use it only once */
};

static void hold(struct taskloop *loop)
{
  if (!loop->grouped)
    atomic_fetch_add(&loop->users, 1);
}

static void let_go(struct taskloop *loop)
{
  if (!loop->grouped && atomic_fetch_sub(&loop->users, 1) == 1)
    free(loop);
}

/* All tasks are made: the construct's work is done, and the thread waits for them. */
static void making_is_over(struct taskloop *loop)
{
  if (self.making != loop)
    return;
  self.making = NULL;
  struct task *task = loop->parent;
  REPORT(work, ompt_work_taskloop, ompt_scope_end, data_of(task->team), &task->data, 0, loop->code);
  if (loop->grouped)
    taskgroup_wait_begin(task, loop->code);
}

/* NULL: the task is not to be reported, or there is no memory. */
static struct task *make(struct taskloop *loop)
{
  struct extension_unreported *place = omitted_task_at(loop->code, 0);
  if (place && !(loop->flags & (int)ompt_task_final)) {
    place->left--;
    return NULL;
  }
  struct task *task = task_new(loop->parent, loop->flags);
  if (!task)
    return NULL;
  REPORT_OUTLINED(loop->fn, task_create, &loop->parent->data, &loop->parent->frame, &task->data, task->flags, 0,
                  loop->code);
  return task;
}

static void copy_block(void *block, void *from)
{
  struct header *source = from, *header = block;
  struct taskloop *loop = source->loop;
  *header = *source;
  void *argument = (char *)block + loop->offset;
  if (loop->copy)
    loop->copy(argument, loop->data);
  else
    memcpy(argument, loop->data, loop->size);
  header->own = true;
  header->task = make(loop);
  hold(loop);
  if (++loop->made == loop->expected)
    making_is_over(loop);
}

static uint64_t iterations_of(const struct taskloop *loop, const uint64_t range[2])
{
  if (loop->wide)
    return loop_count_ull(!loop->down, range[0], range[1], (gomp_ull)loop->step);
  return loop_count((long)range[0], (long)range[1], (long)loop->step);
}

/* Runs as each of libgomp's tasks. */
static void run_block(void *block)
{
  struct header *header = block;
  struct taskloop *loop = header->loop;
  uint64_t *argument = (uint64_t *)((char *)block + loop->offset);
  argument[0] = header->range[0];
  argument[1] = header->range[1];
  bool own = header->own;
  struct task *task = own ? header->task : make(loop);
  if (own)
    making_is_over(loop);
  ompt_dispatch_chunk_t chunk = {header->range[0], iterations_of(loop, header->range)};
  if (task)
    task_run(task, loop->fn, argument, &chunk);
  else
    task_run_omitted(loop->fn, argument);
  if (own)
    let_go(loop);
}

/* Returns how many tasks libgomp makes of n iterations; `tasks` is the construct's num_tasks or grainsize. */
static unsigned long tasks_of(uint64_t n, unsigned flags, unsigned long tasks)
{
  if (flags & GOMP_TASK_GRAINSIZE) {
    uint64_t whole = n / tasks;
    if (flags & GOMP_TASK_STRICT)
      return whole + (n % tasks != 0);
    return whole > 1 ? whole : 1;
  }
  if (tasks == 0)
    tasks = (unsigned long)gomp.omp_get_num_threads();
  return tasks < n ? tasks : n;
}

/* True if libgomp will run the tasks in the call, one after the other. It may do so also when this says no. */
static bool runs_at_once(const struct task *parent, unsigned flags, unsigned long tasks)
{
  return !(flags & GOMP_TASK_IF) || parent->flags & (int)ompt_task_final || parent->flags & (int)ompt_task_initial ||
         tasks > 64ul * (unsigned long)gomp.omp_get_num_threads();
}

/* Argument of libgomp's function in place of the program's. */
struct call {
  void *block; /* allocated where it is not the call's own room */
  void (*copy)(void *, void *);
  long size, alignment;
};

/* `made` stays for as long as the call. NULL: the construct makes no tasks, or there is no memory. */
static struct taskloop *begin(struct taskloop *made, unsigned flags, uint64_t n, unsigned long tasks)
{
  if (!n || task_is_refused())
    return NULL;
  struct taskloop *loop = made;
  if (flags & GOMP_TASK_NOGROUP) {
    loop = malloc(sizeof *loop);
    if (!loop)
      return NULL;
    *loop = *made;
  }
  struct task *parent = loop->parent = current_task();
  loop->grouped = !(flags & GOMP_TASK_NOGROUP);
  loop->expected = tasks_of(n, flags, tasks);
  loop->state_before = self.state;
  bool at_once = runs_at_once(parent, flags, loop->expected);
  loop->flags = task_flags(parent, flags, !at_once);
  atomic_init(&loop->users, 1);
  if (loop->grouped)
    REPORT_OUTLINED(loop->fn, sync_region, ompt_sync_region_taskgroup, ompt_scope_begin, data_of(parent->team),
                    &parent->data, loop->code);
  REPORT_OUTLINED(loop->fn, work, ompt_work_taskloop, ompt_scope_begin, data_of(parent->team), &parent->data, n,
                  loop->code);
  self.making = loop;
  return loop;
}

static void end(struct taskloop *loop)
{
  making_is_over(loop);
  if (loop->grouped)
    sync_end(loop->parent, ompt_sync_region_taskgroup, loop->state_before, loop->code);
  frame_leave(loop->parent);
  let_go(loop);
}

/* The bytes of a block: the header, and the data behind it. */
static size_t block_size(long size, size_t align)
{
  return (((sizeof(struct header) + align - 1) & ~(align - 1)) + (size_t)size + align - 1) & ~(align - 1);
}

static size_t block_alignment(long alignment)
{
  return alignment > (long)_Alignof(struct header) ? (size_t)alignment : _Alignof(struct header);
}

/* True if the caller's stack has room for a block: it stays there while the tasks run that are not deferred. */
static bool fits_on_stack(long size, long alignment)
{
  size_t align = block_alignment(alignment);
  return block_size(size, align) <= TASK_BLOCK_ON_STACK && align <= 16;
}

/*
 * The block for libgomp: the header, and behind it the data where libgomp is to use this very block. room: on the
 * caller's stack; NULL: there is none.
 */
static struct call prepare(struct taskloop *loop, void *room, long size, long alignment, unsigned flags)
{
  size_t align = block_alignment(alignment), whole = block_size(size, align);
  loop->size = (size_t)size;
  loop->offset = (sizeof(struct header) + align - 1) & ~(align - 1);
  struct header *header = room ? room : aligned_alloc(align, whole);
  if (!header)
    abort(); /* as libgomp does */
  *header = (struct header){.loop = loop};
  if (flags & GOMP_TASK_REDUCTION)
    header->third = ((void **)loop->data)[2];
  /* A function that copies would also keep libgomp from dropping tasks when their taskgroup is cancelled. */
  bool at_once = loop->flags & (int)ompt_task_undeferred;
  bool copies = loop->copy || (!at_once && !cancellation_is_possible());
  if (!copies && !at_once && !loop->grouped)
    hold(loop); /* its tasks outlive the call and can't be counted: it is never freed */
  /* If the program has a function that copies, the copy has another size than the data. */
  if (!copies)
    memcpy((char *)header + loop->offset, loop->data, (size_t)size);
  return (struct call){header, copies ? copy_block : NULL, (long)whole, (long)align};
}

#define TASKLOOP(name, type, count, is_wide, is_down)                                                                  \
  void name(void (*fn)(void *), void *data, void (*copy)(void *, void *), long size, long alignment, unsigned flags,   \
            unsigned long tasks, int priority, type start, type end_, type step)                                       \
  {                                                                                                                    \
    if (!provider_is_on()) {                                                                                           \
      gomp.name(fn, data, copy, size, alignment, flags, tasks, priority, start, end_, step);                           \
      return;                                                                                                          \
    }                                                                                                                  \
    struct taskloop made = {.fn = fn,                                                                                  \
                            .copy = copy,                                                                              \
                            .data = data,                                                                              \
                            .wide = is_wide,                                                                           \
                            .down = is_down,                                                                           \
                            .step = (int64_t)step,                                                                     \
                            .code = CALLER};                                                                           \
    struct taskloop *loop = begin(&made, flags, count, tasks);                                                         \
    if (!loop) {                                                                                                       \
      gomp.name(fn, data, copy, size, alignment, flags, tasks, priority, start, end_, step);                           \
      return;                                                                                                          \
    }                                                                                                                  \
    frame_enter(loop->parent, FRAME);                                                                                  \
    void *room = fits_on_stack(size, alignment) ? alloca(block_size(size, block_alignment(alignment))) : NULL;         \
    struct call call = prepare(loop, room, size, alignment, flags);                                                    \
    struct running before = tasks_may_run();                                                                           \
    gomp.name(run_block, call.block, call.copy, call.size, call.alignment, flags, tasks, priority, start, end_, step); \
    tasks_ran(before);                                                                                                 \
    if (call.block != room)                                                                                            \
      free(call.block);                                                                                                \
    end(loop);                                                                                                         \
  }

#define DOWN !(flags & GOMP_TASK_UP)
TASKLOOP(GOMP_taskloop, long, loop_count(start, end_, step), false, false)
TASKLOOP(GOMP_taskloop_ull, gomp_ull, loop_count_ull(!DOWN, start, end_, step), true, DOWN)
