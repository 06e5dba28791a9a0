/* Common parts of programs on little stack: memory for stacks, and a look at what lies below them. */
#ifndef HEDDLE_TESTS_SMALL_STACK_H
#define HEDDLE_TESTS_SMALL_STACK_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

enum { WATCHED = 65536, WATCH = 0x5a };

/* Memory for a stack, with watched memory below it. */
static inline char *stack_of(size_t size)
{
  char *memory = (char *)mmap(NULL, WATCHED + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    abort();
  memset(memory, WATCH, WATCHED);
  return memory + WATCHED;
}

/* Whether nothing was written below a stack; how much was, is said. */
static inline bool is_whole(const char *stack)
{
  const char *at = stack - WATCHED;
  while (at < stack && *at == WATCH)
    at++;
  if (at < stack)
    printf("overrun by %zd bytes\n", stack - at);
  return at == stack;
}

/* Runs `run` in as many threads at a time, on stacks of so many bytes. Whether all of these are whole afterwards. */
static inline bool on_small_stacks(int count, size_t size, void *(*run)(void *))
{
  enum { MOST = 16 };
  pthread_t ids[MOST];
  char *stacks[MOST];
  bool whole = count <= MOST;
  for (int t = 0; t < count && t < MOST; t++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    stacks[t] = stack_of(size);
    if (pthread_attr_setstack(&attributes, stacks[t], size) || pthread_create(&ids[t], &attributes, run, NULL))
      abort();
  }
  for (int t = 0; t < count && t < MOST; t++) {
    pthread_join(ids[t], NULL);
    whole &= is_whole(stacks[t]);
  }
  return whole;
}

/* Has SIGUSR1 handled on a stack of so many bytes, beside what the kernel puts there; returns that stack. */
static inline char *handle_on_small_stack(size_t size, void (*handler)(int))
{
  size_t frame = getauxval(AT_MINSIGSTKSZ) ? getauxval(AT_MINSIGSTKSZ) : MINSIGSTKSZ;
  char *memory = stack_of(size + frame);
  stack_t stack;
  struct sigaction action;
  memset(&stack, 0, sizeof stack);
  memset(&action, 0, sizeof action);
  stack.ss_sp = memory;
  stack.ss_size = size + frame;
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  if (sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
    abort();
  return memory;
}

#endif
