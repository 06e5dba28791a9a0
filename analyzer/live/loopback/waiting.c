#include "analyzer/live/loopback/waiting.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define PATIENCE_NS 10000000000u
#define SPARE       8 /* a part of all places, which is kept free: MHD accepts several connections at once */

struct waiting_connection {
  int fd; /* -1: the place is free */
  bool waits;
  uint64_t since;
};

struct waiting {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  bool ends;
  size_t most, count;
  struct waiting_connection connections[];
};

static uint64_t now_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* NULL: none waits. */
static struct waiting_connection *oldest(struct waiting *waiting)
{
  struct waiting_connection *found = NULL;
  for (size_t i = 0; i < waiting->most; i++) {
    struct waiting_connection *connection = &waiting->connections[i];
    if (connection->fd >= 0 && connection->waits && (!found || connection->since < found->since))
      found = connection;
  }
  return found;
}

/* The server finds its end, and closes it. */
static void drop(struct waiting_connection *connection)
{
  shutdown(connection->fd, SHUT_RDWR);
  connection->waits = false;
}

static void *watch(void *argument)
{
  struct waiting *waiting = argument;
  pthread_mutex_lock(&waiting->lock);
  while (!waiting->ends) {
    struct waiting_connection *first = oldest(waiting);
    uint64_t until = first ? first->since + PATIENCE_NS : 0;
    if (!first) {
      pthread_cond_wait(&waiting->changed, &waiting->lock);
    } else if (until <= now_ns()) {
      drop(first);
    } else {
      struct timespec time = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
      pthread_cond_timedwait(&waiting->changed, &waiting->lock, &time);
    }
  }
  pthread_mutex_unlock(&waiting->lock);
  return NULL;
}

struct waiting *waiting_begin(size_t most)
{
  struct waiting *waiting = calloc(1, sizeof *waiting + most * sizeof *waiting->connections);
  if (!waiting)
    return NULL;
  waiting->most = most;
  for (size_t i = 0; i < most; i++)
    waiting->connections[i].fd = -1;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&waiting->lock, NULL);
  pthread_cond_init(&waiting->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (pthread_create(&waiting->thread, NULL, watch, waiting) == 0)
    return waiting;
  free(waiting);
  return NULL;
}

void waiting_end(struct waiting *waiting)
{
  if (!waiting)
    return;
  pthread_mutex_lock(&waiting->lock);
  waiting->ends = true;
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
  pthread_join(waiting->thread, NULL);
  pthread_cond_destroy(&waiting->changed);
  pthread_mutex_destroy(&waiting->lock);
  free(waiting);
}

struct waiting_connection *waiting_add(struct waiting *waiting, int fd)
{
  struct waiting_connection *place = NULL;
  pthread_mutex_lock(&waiting->lock);
  for (size_t i = 0; i < waiting->most && !place; i++)
    if (waiting->connections[i].fd < 0)
      place = &waiting->connections[i];
  if (place) {
    *place = (struct waiting_connection){.fd = fd, .waits = true, .since = now_ns()};
    waiting->count++;
  }
  struct waiting_connection *first = waiting->count > waiting->most - waiting->most / SPARE ? oldest(waiting) : NULL;
  if (first && first != place)
    drop(first);
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
  return place;
}

void waiting_whole(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->waits = false;
  pthread_mutex_unlock(&waiting->lock);
}

void waiting_again(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->waits = true;
  connection->since = now_ns();
  pthread_cond_signal(&waiting->changed);
  pthread_mutex_unlock(&waiting->lock);
}

void waiting_remove(struct waiting *waiting, struct waiting_connection *connection)
{
  pthread_mutex_lock(&waiting->lock);
  connection->fd = -1;
  waiting->count--;
  pthread_mutex_unlock(&waiting->lock);
}
