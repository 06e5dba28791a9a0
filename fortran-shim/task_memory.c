#include "fortran-shim/task_memory.h"

#include "fortran-shim/unique_id.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct task *all_free; /* left by threads that ended */

void task_memory_in_child(void)
{
  pthread_mutex_init(&lock, NULL);
  all_free = NULL;
}

struct task *task_new(struct task *parent, int flags)
{
  struct task *task = self.free_tasks;
  if (task) {
    self.free_tasks = task->next_free;
  } else {
    pthread_mutex_lock(&lock);
    task = all_free;
    if (task)
      all_free = task->next_free;
    pthread_mutex_unlock(&lock);
    if (!task)
      task = malloc(sizeof *task);
  }
  if (task)
    *task = (struct task){
        .team = parent->team, .parent = parent, .parent_id = parent->id, .id = unique_id(), .flags = flags};
  return task;
}

void task_free(struct task *task)
{
  task->id = 0;
  task->next_free = self.free_tasks;
  self.free_tasks = task;
}

void task_memory_give_back(void)
{
  struct task *first = self.free_tasks, *last = first;
  if (!first)
    return;
  self.free_tasks = NULL;
  while (last->next_free)
    last = last->next_free;
  pthread_mutex_lock(&lock);
  last->next_free = all_free;
  all_free = first;
  pthread_mutex_unlock(&lock);
}
