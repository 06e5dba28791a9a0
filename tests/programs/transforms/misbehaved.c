/* A plug-in that does what none may do: misbehaved.so,WHAT. Everything else it passes on. */
#include <heddle-transform.h>

#include <stdlib.h>
#include <string.h>

struct misbehaved {
  const struct heddle_transform_host *host;
  char what[32];
  unsigned readings;
};

static void *begin(const struct heddle_transform_host *host, const char *arguments)
{
  struct misbehaved *self = calloc(1, sizeof *self);
  if (strcmp(arguments, "open") == 0 || !self) {
    free(self);
    return NULL;
  }
  self->host = host;
  strncpy(self->what, arguments, sizeof self->what - 1);
  return self;
}

/* Calls to the host that it must refuse. */
static int ask_nonsense(const struct heddle_transform_host *host)
{
  uint32_t states = host->state_count(host);
  const uint32_t vector[] = {12345, 12345, 12345, 12345};
  uint32_t own = host->add_aggregate(host, "own");
  int refused = host->state_of(host, vector) == HEDDLE_TRANSFORM_NONE && !host->state_name(host, UINT32_MAX) &&
                !host->state_vector(host, UINT32_MAX) && !host->value_name(host, 99, 0) &&
                !host->value_name(host, 0, 99) && !host->component_name(host, 99) &&
                host->find_state(host, "nobody") == HEDDLE_TRANSFORM_NONE &&
                host->add_aggregate(host, "") == HEDDLE_TRANSFORM_NONE &&
                host->add_aggregate(host, host->state_name(host, 0)) == HEDDLE_TRANSFORM_NONE &&
                host->add_aggregate(host, "own") == own && host->count_run(host, own, &own, 1) != 0 &&
                host->count_run(host, 0, vector, 1) != 0 && host->count_run(host, own, vector, 0) != 0 &&
                host->count_run(host, UINT32_MAX, vector, 1) != 0 && states + 1 == host->state_count(host);
  host->fail(host, refused ? "the host refused all\nof it" : "the host took nonsense");
  return 1;
}

static int work(void *data, struct heddle_transform_batch *batch)
{
  struct misbehaved *self = data;
  const char *what = self->what;
  if (strcmp(what, "fail") == 0)
    return 1;
  if (strcmp(what, "ask") == 0)
    return ask_nonsense(self->host);
  if (strcmp(what, "stuck") == 0)
    return 0;
  if (strcmp(what, "greedy") == 0) {
    batch->taken = batch->in_count + 1;
    return 0;
  }
  if (strcmp(what, "generous") == 0) {
    batch->made = batch->out_size + 1;
    return 0;
  }
  if (strcmp(what, "endless") == 0) {
    memset(batch->out, 0, batch->out_size * sizeof *batch->out);
    batch->made = batch->out_size;
    return 0;
  }
  while (batch->taken < batch->in_count && batch->made < batch->out_size)
    batch->out[batch->made++] = batch->in[batch->taken++];
  if (strcmp(what, "descend") == 0 && batch->made > 1)
    batch->out[1].entry = batch->out[0].entry - 1;
  if (strcmp(what, "unknown") == 0 && batch->made > 0)
    batch->out[batch->made - 1].state = self->host->state_count(self->host);
  if (strcmp(what, "other") == 0 && batch->made > 0 && self->readings > 1)
    batch->out[0].entry--;
  if (batch->end && strcmp(what, "end") == 0)
    batch->end->time = 0;
  if (batch->end && strcmp(what, "terminal") == 0)
    batch->end->terminal = self->host->state_count(self->host) + 7;
  return 0;
}

static int start_again(void *data)
{
  struct misbehaved *self = data;
  self->readings++;
  return strcmp(self->what, "rewind") == 0;
}

const struct heddle_transform heddle_transform = {
    .version = HEDDLE_TRANSFORM_VERSION, .open = begin, .work = work, .rewind = start_again, .close = free};
