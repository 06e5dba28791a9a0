/*
 * A library with an allocator that locks: its functions are called before main, by the loader, and while the layer
 * looks up its own functions.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char heap[64 << 20] __attribute__((aligned(ALIGNMENT)));
static size_t used;

/* The size stands before the memory. */
void *malloc(size_t size)
{
  size_t whole = (size + 2 * ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
  pthread_mutex_lock(&mutex);
  char *memory = used + whole <= sizeof heap ? heap + used : NULL;
  if (memory)
    used += whole;
  pthread_mutex_unlock(&mutex);
  if (!memory)
    return NULL;
  memcpy(memory, &size, sizeof size);
  return memory + ALIGNMENT;
}

void free(void *memory)
{
  if (memory) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
}

/* The heap is zero, and memory is never used again. */
void *calloc(size_t count, size_t size)
{
  return size != 0 && count > sizeof heap / size ? NULL : malloc(count * size);
}

void *realloc(void *memory, size_t size)
{
  void *copy = malloc(size);
  if (memory && copy) {
    size_t old;
    memcpy(&old, (char *)memory - ALIGNMENT, sizeof old);
    memcpy(copy, memory, old < size ? old : size);
  }
  return copy;
}
