/*
 * An example of a plug-in for `heddle transform`: debounce.so,TICKS. What takes less than so many ticks is no state of
 * its own, it is time of the state before.
 *
 *     cc -shared -fPIC debounce.c -o debounce.so
 *     heddle transform run.pes --plugin debounce.so,10 -o calm.pes
 */
#include <heddle-transform.h>

#include <stdbool.h>
#include <stdlib.h>

struct debounce {
  uint64_t least;
  struct heddle_transform_record held; /* how long it takes is known when the next one comes */
  bool holds, made;                    /* made: something was, so that there is a state before */
};

static void *begin(const struct heddle_transform_host *host, const char *arguments)
{
  char *end;
  struct debounce *debounce = calloc(1, sizeof *debounce);
  if (!debounce)
    return NULL;
  debounce->least = strtoull(arguments, &end, 10);
  if (end == arguments || *end) {
    host->fail(host, "give a number of ticks behind the comma");
    free(debounce);
    return NULL;
  }
  return debounce;
}

static int start_again(void *self)
{
  struct debounce *debounce = self;
  debounce->holds = debounce->made = false;
  return 0;
}

/* The record that is held ends. The first one of all stays, however short it is. */
static void put_held(struct debounce *debounce, uint64_t over, struct heddle_transform_batch *batch)
{
  if (!debounce->made || over - debounce->held.entry >= debounce->least) {
    batch->out[batch->made++] = debounce->held;
    debounce->made = true;
  }
  debounce->holds = false;
}

static int work(void *self, struct heddle_transform_batch *batch)
{
  struct debounce *debounce = self;
  while (batch->taken < batch->in_count && batch->made < batch->out_size) {
    if (debounce->holds)
      put_held(debounce, batch->in[batch->taken].entry, batch);
    debounce->held = batch->in[batch->taken++];
    debounce->holds = true;
  }
  if (batch->end && debounce->holds && batch->made < batch->out_size)
    put_held(debounce, batch->end->time, batch);
  return 0;
}

const struct heddle_transform heddle_transform = {
    .version = HEDDLE_TRANSFORM_VERSION, .open = begin, .work = work, .rewind = start_again, .close = free};
