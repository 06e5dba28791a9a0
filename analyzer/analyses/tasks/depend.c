#include "analyzer/analyses/tasks/depend.h"

/* Two data of one key, which damage or rare luck causes, count as one. */
static uint64_t key_of(uint64_t parent, uint64_t data)
{
  return hash_mix(parent) ^ data;
}

static void drop(struct depends *depends, uint32_t place)
{
  while (place > 0) {
    struct depend_group *group = &depends->groups.items[place - 1];
    if (--group->users > 0)
      return;
    uint32_t before = group->before;
    group->next = depends->free_group;
    depends->free_group = place;
    place = before;
  }
}

/* A group behind `before`, with one user. 0: no memory. */
static uint32_t new_group(struct depends *depends, uint32_t before, enum depend_kind kind)
{
  struct depend_group group = {.before = before, .users = 1, .kind = (uint8_t)kind};
  uint32_t place = depends->free_group;
  if (place == 0) {
    if (!vector_push(&depends->groups, group))
      return 0;
    return (uint32_t)depends->groups.count;
  }
  depends->free_group = depends->groups.items[place - 1].next;
  depends->groups.items[place - 1] = group;
  return place;
}

/* The place of the datum; 0: no memory. */
static uint32_t datum_of(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data)
{
  uint64_t key = key_of(parent, data);
  const uint64_t *at = hash_find(&depends->by_key, key);
  if (at)
    return (uint32_t)*at;
  uint32_t place = depends->free_datum;
  struct depend_datum datum = {.parent = parent, .data = data, .next = *first};
  if (place == 0 && !vector_push(&depends->data, datum))
    return 0;
  if (place == 0)
    place = (uint32_t)depends->data.count;
  else
    depends->free_datum = depends->data.items[place - 1].next;
  depends->data.items[place - 1] = datum;
  *first = place;
  return hash_add(&depends->by_key, key, place) ? place : 0;
}

uint32_t depends_join(struct depends *depends, uint64_t parent, uint32_t *first, uint64_t data, enum depend_kind kind)
{
  uint32_t place = datum_of(depends, parent, first, data);
  if (place == 0)
    return 0;
  kind = kind == DEPEND_INOUT ? DEPEND_OUT : kind;
  uint32_t last = depends->data.items[place - 1].group;
  if (last == 0 || kind == DEPEND_OUT || depends->groups.items[last - 1].kind != kind) {
    last = new_group(depends, last, kind); /* it takes over the datum's use of the one before */
    if (last == 0)
      return 0;
    depends->data.items[place - 1].group = last;
  }
  depends->groups.items[last - 1].users++;
  return last;
}

static uint64_t depend_later(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

void depends_after(const struct depends *depends, uint32_t group, uint64_t *path, uint64_t *ended)
{
  const struct depend_group *of = &depends->groups.items[group - 1];
  const struct depend_group *before = of->before ? &depends->groups.items[of->before - 1] : NULL;
  *path = depend_later(*path, before ? before->path : of->after_path);
  *ended = depend_later(*ended, before ? before->ended : of->after_ended);
}

/* Where a member ended, all of the group before have, which is not needed any more. */
void depends_leave(struct depends *depends, uint32_t group, uint64_t path, uint64_t ended)
{
  struct depend_group *of = &depends->groups.items[group - 1];
  of->path = depend_later(of->path, path);
  of->ended = depend_later(of->ended, ended);
  if (of->before > 0) {
    of->after_path = depends->groups.items[of->before - 1].path;
    of->after_ended = depends->groups.items[of->before - 1].ended;
    drop(depends, of->before);
    of->before = 0;
  }
  drop(depends, group);
}

void depends_forget(struct depends *depends, uint32_t *first)
{
  while (*first > 0) {
    struct depend_datum *datum = &depends->data.items[*first - 1];
    uint32_t next = datum->next;
    hash_remove(&depends->by_key, key_of(datum->parent, datum->data));
    drop(depends, datum->group);
    datum->next = depends->free_datum;
    depends->free_datum = *first;
    *first = next;
  }
}

void depends_free(struct depends *depends)
{
  vector_free(&depends->groups);
  vector_free(&depends->data);
  hash_free(&depends->by_key);
}
