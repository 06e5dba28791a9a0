#include "otf2-convert/plan/java_names.h"

#include "common/raw/raw_trace.h"
#include "otf2-convert/text_fields.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static bool is_id(uint64_t id)
{
  return id >= 1 && id <= JAVA_IDS_MAX;
}

bool java_names_add_class(struct java_names *names, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  char *name = field_next_word(&value);
  if (name == NULL || !is_id(id))
    return true;
  while (names->classes.count < id)
    if (!vector_push(&names->classes, (char *)NULL))
      return false;
  if (names->classes.items[id - 1] != NULL)
    return true;
  field_unescape(name);
  return (names->classes.items[id - 1] = strdup(name)) != NULL;
}

bool java_names_add_place(struct java_names *names, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  uint64_t caller = field_next_number(&value, 10);
  uint64_t line = field_next_number(&value, 10);
  char *class = field_next_word(&value), *method = field_next_word(&value), *file = field_next_word(&value);
  if (file == NULL || !is_id(id))
    return true;
  while (names->places.count < id)
    if (!vector_push(&names->places, (struct java_place){0}))
      return false;
  struct java_place *place = &names->places.items[id - 1];
  if (place->method != NULL)
    return true;
  field_unescape(class);
  field_unescape(method);
  field_unescape(file);
  place->caller = is_id(caller) ? (uint32_t)caller : 0;
  place->line = line <= UINT32_MAX ? (uint32_t)line : 0;
  place->file = strdup(strcmp(file, "-") == 0 ? "" : file);
  if (asprintf(&place->method, "%s.%s", class, method) < 0)
    place->method = NULL;
  place->idles = strcmp(class, RAW_IDLE_CLASS) == 0 && strcmp(method, RAW_IDLE_METHOD) == 0;
  return place->file != NULL && place->method != NULL;
}

void java_names_free(struct java_names *names)
{
  for (size_t i = 0; i < names->classes.count; i++)
    free(names->classes.items[i]);
  for (size_t i = 0; i < names->places.count; i++) {
    free(names->places.items[i].method);
    free(names->places.items[i].file);
  }
  vector_free(&names->classes);
  vector_free(&names->places);
  vector_free(&names->stuck);
  hash_free(&names->stuck_of);
  vector_free(&names->waiting);
  for (size_t i = 0; i < names->fields.count; i++)
    free(names->fields.items[i].name);
  vector_free(&names->fields);
}

const char *java_class(const struct java_names *names, uint64_t id)
{
  return id - 1 < names->classes.count ? names->classes.items[id - 1] : NULL;
}

const struct java_place *java_place(const struct java_names *names, uint64_t id)
{
  const struct java_place *place = id - 1 < names->places.count ? &names->places.items[id - 1] : NULL;
  return place != NULL && place->method != NULL ? place : NULL;
}

void java_callers(const struct java_names *names, uint64_t id, char *text, size_t size)
{
  const struct java_place *place = java_place(names, id);
  size_t used = 0;
  text[0] = 0;
  /* A file that is not to be trusted may have places that call each other in a circle. */
  for (int i = 0; i < JAVA_CALLERS_MAX && place != NULL && used < size; i++) {
    place = java_place(names, place->caller);
    if (place == NULL)
      return;
    const char *between = i == 0 ? "" : " < ";
    int n = place->line != 0
                ? snprintf(text + used, size - used, "%s%s (%s:%u)", between, place->method, place->file, place->line)
                : snprintf(text + used, size - used, "%s%s", between, place->method);
    used += n < 0 ? 0 : (size_t)n;
  }
}

bool java_names_add_stuck(struct java_names *names, char *value)
{
  struct java_stuck stuck = {.ticks = field_next_number(&value, 10), .thread = field_next_number(&value, 10)};
  stuck.kind = (unsigned)field_next_number(&value, 10) & RAW_BLOCK_KIND;
  stuck.place = field_next_number(&value, 16) & RAW_VALUE_MASK;
  stuck.object = field_next_number(&value, 16);
  stuck.owner = field_next_number(&value, 10);
  stuck.owner_place = field_next_number(&value, 16) & RAW_VALUE_MASK;
  if (stuck.thread == 0 || names->stuck.count >= JAVA_STUCK_MAX)
    return true;
  const uint64_t *before = hash_find(&names->stuck_of, stuck.thread);
  stuck.before = before != NULL ? (uint32_t)*before + 1 : 0;
  return vector_push(&names->stuck, stuck) && hash_put(&names->stuck_of, stuck.thread, names->stuck.count - 1);
}

bool java_names_add_waiting(struct java_names *names, char *value)
{
  struct java_waiting waiting = {.ticks = field_next_number(&value, 10), .until = field_next_number(&value, 10)};
  waiting.thread = field_next_number(&value, 10);
  waiting.kind = (unsigned)field_next_number(&value, 10);
  waiting.place = field_next_number(&value, 16) & RAW_VALUE_MASK;
  waiting.object = field_next_number(&value, 16);
  return waiting.kind > RAW_BLOCK_LAST || names->waiting.count >= JAVA_STUCK_MAX ||
         vector_push(&names->waiting, waiting);
}

bool java_names_add_field(struct java_names *names, char *value)
{
  struct java_field field = {.object = field_next_number(&value, 16)};
  char *class = field_next_word(&value), *name = field_next_word(&value);
  if (name == NULL || field.object == 0 || names->fields.count >= JAVA_FIELDS_MAX)
    return true;
  field_unescape(class);
  field_unescape(name);
  if (asprintf(&field.name, "%s.%s", class, name) < 0)
    return false;
  if (vector_push(&names->fields, field))
    return true;
  free(field.name);
  return false;
}

const struct java_waiting *java_waiting(const struct java_names *names, uint64_t thread)
{
  for (size_t i = 0; i < names->waiting.count; i++)
    if (names->waiting.items[i].thread == thread)
      return &names->waiting.items[i];
  return NULL;
}

const struct java_stuck *java_stuck(const struct java_names *names, uint64_t thread)
{
  const uint64_t *last = hash_find(&names->stuck_of, thread);
  return last != NULL ? &names->stuck.items[*last] : NULL;
}

const struct java_stuck *java_stuck_before(const struct java_names *names, const struct java_stuck *stuck)
{
  return stuck->before != 0 ? &names->stuck.items[stuck->before - 1] : NULL;
}

void java_stuck_mounted(struct java_names *names, uint64_t thread, uint64_t ticks)
{
  const uint64_t *last = hash_find(&names->stuck_of, thread);
  for (uint64_t i = last != NULL ? *last + 1 : 0; i != 0; i = names->stuck.items[i - 1].before) {
    struct java_stuck *stuck = &names->stuck.items[i - 1];
    uint64_t known = stuck->mounted;
    if (known != 0 && known <= ticks && stuck->ticks < ticks) /* so it is with those before */
      return;
    while (stuck->ticks < ticks && (known == 0 || ticks < known) &&
           !atomic_compare_exchange_weak(&stuck->mounted, &known, ticks))
      ;
  }
}

bool java_calls_add(struct java_calls *calls, char *value)
{
  uint64_t id = field_next_number(&value, 10);
  uint64_t caller = field_next_number(&value, 10);
  uint64_t place = field_next_number(&value, 10);
  if (id < RAW_CALL_FIRST || id >= JAVA_CALLS_MAX || caller >= id || place > JAVA_IDS_MAX)
    return true;
  if (calls->items.count <= id && !vector_resize(&calls->items, (size_t)id + 1))
    return false;
  struct java_call *call = &calls->items.items[id];
  if (!call->known)
    *call = (struct java_call){.known = true, .caller = (uint32_t)caller, .place = (uint32_t)place};
  return true;
}

void java_calls_add_counts(struct java_calls *calls, char *value)
{
  calls->due = field_next_number(&value, 10);
  calls->taken = field_next_number(&value, 10);
  for (unsigned i = 0; i < RAW_SAMPLE_REASONS; i++)
    calls->lost[i] = field_next_number(&value, 10);
}

void java_calls_free(struct java_calls *calls)
{
  vector_free(&calls->items);
}

struct java_call *java_call(const struct java_calls *calls, uint32_t id)
{
  return id >= RAW_CALL_FIRST && id < calls->items.count && calls->items.items[id].known ? &calls->items.items[id]
                                                                                         : NULL;
}
