/* Counts by the programs of this folder: calls by path. None of it is instrumented. */
#ifndef HEDDLE_TESTS_PROGRAMS_CALLS_OWN_COUNT_H
#define HEDDLE_TESTS_PROGRAMS_CALLS_OWN_COUNT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAIN __attribute__((no_instrument_function, unused))

enum { OWN_FUNCTIONS = 26 }; /* a to z */

struct own {
  struct own *parent, *children[OWN_FUNCTIONS];
  unsigned long calls;
};

static __thread struct own own_root, *own_now;

PLAIN static inline struct own *own_here(void)
{
  return own_now ? own_now : &own_root;
}

/* A function begins; its name is a letter. What it gives is for own_return() and own_back_to(). */
PLAIN static inline struct own *own_call(char name)
{
  struct own *caller = own_here(), **place = &caller->children[name - 'a'];
  if (!*place && !(*place = calloc(1, sizeof **place)))
    abort();
  (*place)->parent = caller;
  (*place)->calls++;
  return own_now = *place;
}

PLAIN static inline void own_return(void)
{
  own_now = own_here()->parent;
}

PLAIN static inline void own_back_to(struct own *where)
{
  own_now = where;
}

PLAIN static void own_print_below(const char *thread, char *path, size_t length, const struct own *node)
{
  for (int i = 0; i < OWN_FUNCTIONS; i++) {
    const struct own *child = node->children[i];
    if (!child)
      continue;
    path[length] = (char)('a' + i);
    printf("path %s %.*s %lu\n", thread, (int)length + 1, path, child->calls);
    own_print_below(thread, path, length + 1, child);
  }
}

/* The calls of the calling thread, a line a path: path THREAD FUNCTIONS CALLS. */
PLAIN static void own_print(const char *thread)
{
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  char path[1000];
  pthread_mutex_lock(&one_at_a_time);
  own_print_below(thread, path, 0, &own_root);
  pthread_mutex_unlock(&one_at_a_time);
}

#endif
