#include "analyzer/report/codes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A row a region and one for none, a column a state and one for a region alone. 0: not given out yet. */
#define COLUMNS (STATES + 1)

struct codes {
  pthread_mutex_t mutex; /* of `list` and `count` */
  uint32_t regions;
  uint32_t count;
  struct code *list;
  _Atomic uint32_t numbers[];
};

struct codes *codes_create(uint32_t region_count)
{
  size_t cells = ((size_t)region_count + 1) * COLUMNS;
  struct codes *codes = calloc(1, sizeof *codes + cells * sizeof codes->numbers[0]);
  struct code *list = calloc(cells + CODE_FIRST, sizeof *list);
  if (!codes || !list) {
    free(codes);
    free(list);
    return NULL;
  }
  pthread_mutex_init(&codes->mutex, NULL);
  codes->regions = region_count;
  codes->list = list;
  codes->count = CODE_FIRST;
  list[CODE_NOTHING] = list[CODE_ELIDED] = (struct code){TRACE_NONE, TRACE_NONE};
  return codes;
}

void codes_destroy(struct codes *codes)
{
  if (!codes)
    return;
  pthread_mutex_destroy(&codes->mutex);
  free(codes->list);
  free(codes);
}

static uint32_t give_out(struct codes *codes, _Atomic uint32_t *number, struct code code)
{
  pthread_mutex_lock(&codes->mutex);
  if (*number == 0) {
    codes->list[codes->count] = code;
    *number = codes->count++;
  }
  pthread_mutex_unlock(&codes->mutex);
  return *number;
}

static uint32_t look_up(struct codes *codes, uint32_t column, struct code code)
{
  size_t row = code.region == TRACE_NONE ? codes->regions : code.region;
  _Atomic uint32_t *number = &codes->numbers[row * COLUMNS + column];
  uint32_t known = *number;
  return known ? known : give_out(codes, number, code);
}

uint32_t codes_of_state(struct codes *codes, enum state state, uint32_t region)
{
  /* What it counts as in mixtures has a number before it: else that would depend on which lane elides it first. */
  if (region != TRACE_NONE)
    look_up(codes, state, (struct code){state, TRACE_NONE});
  return look_up(codes, state, (struct code){state, region});
}

uint32_t codes_of_region(struct codes *codes, uint32_t region)
{
  return look_up(codes, STATES, (struct code){TRACE_NONE, region});
}

struct mixture_part codes_mixed(struct codes *codes, uint32_t number)
{
  struct code code = codes->list[number];
  if (code.state != TRACE_NONE)
    return (struct mixture_part){.code = codes_of_state(codes, code.state, TRACE_NONE), .rank = 1 + code.state};
  return (struct mixture_part){.code = number, .rank = code.region == TRACE_NONE ? 0 : 1 + code.region};
}

uint32_t codes_count(const struct codes *codes)
{
  return codes->count;
}

struct code codes_get(const struct codes *codes, uint32_t code)
{
  return codes->list[code];
}
