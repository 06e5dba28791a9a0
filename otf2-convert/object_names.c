#include "otf2-convert/object_names.h"

#include "common/raw_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 1024

static const char *kind_name(unsigned kind)
{
  static const char *const names[] = {[RAW_PTHREAD_MUTEX] = "mutex",
                                      [RAW_PTHREAD_WRITE] = "rwlock",
                                      [RAW_PTHREAD_SPIN] = "spin lock",
                                      [RAW_PTHREAD_CONDITION] = "condition",
                                      [RAW_PTHREAD_SEMAPHORE] = REGION_PTHREAD_SEMAPHORE,
                                      [RAW_PTHREAD_BARRIER] = "barrier"};
  const char *name = kind < sizeof names / sizeof *names ? names[kind] : NULL;
  return name == NULL ? "synchronization object" : name;
}

static void append(char name[NAME_SIZE], const char *text)
{
  size_t used = strlen(name);
  snprintf(name + used, NAME_SIZE - used, "%s", text);
}

/* " @file:line", or as much as is known. */
static void append_place(char name[NAME_SIZE], const struct source_place *place)
{
  const char *slash = strrchr(place->file, '/');
  size_t used = strlen(name);
  if (place->line != 0)
    snprintf(name + used, NAME_SIZE - used, "%s%s:%" PRIu32, NAME_AT, slash == NULL ? place->file : slash + 1,
             place->line);
  else if (place->function[0] != 0)
    snprintf(name + used, NAME_SIZE - used, "%s%s+0x%" PRIx64, NAME_AT, place->function, place->into);
}

/*
 * Each object has a name of its own: its number among those of the same name, from `nth` on. One call may be several in
 * the code, each of which counts its own objects. A variable needs no number if it is the first.
 */
static bool append_number(struct object_names *names, uint32_t process, bool variable, uint64_t nth,
                          char name[NAME_SIZE])
{
  uint64_t of = hash_text(hash_mix(process), name), *last = hash_find(&names->given, of);
  char text[32];
  bool is_first = last == NULL;
  if (is_first && (last = hash_add(&names->given, of, 0)) == NULL)
    return false;
  if (is_first && variable)
    return *last = 1, true;
  if (nth == 0)
    nth = *last + 1;
  while (hash_find(&names->given, hash_mix(of + nth)) != NULL)
    nth++;
  *last = nth;
  snprintf(text, sizeof text, " #%" PRIu64, nth);
  append(name, text);
  return hash_add(&names->given, hash_mix(of + nth), 0) != NULL;
}

static bool name_object(struct object_names *names, struct definitions *definitions, const struct lock_object *object,
                        char name[NAME_SIZE])
{
  struct source_place place;
  uint64_t nth = 0;
  bool variable = definitions_variable(definitions, object->process, object->address, name, NAME_SIZE);
  if (!variable)
    snprintf(name, NAME_SIZE, "%s", kind_name(object->kind));
  if (object->code != 0 && definitions_place(definitions, object->process, object->code, &place)) {
    append_place(name, &place);
    nth = object->nth;
  } else if (!variable && object->user != 0 && definitions_place(definitions, object->process, object->user, &place)) {
    append(name, " used");
    append_place(name, &place);
  }
  return append_number(names, object->process, variable, variable ? 0 : nth, name);
}

bool object_names_add(struct object_names *names, struct definitions *definitions, const struct locks *locks)
{
  for (; names->done < locks->objects.count; names->done++) {
    const struct lock_object *object = &locks->objects.items[names->done];
    char name[NAME_SIZE];
    while (names->refs.count <= object->number)
      if (!vector_push(&names->refs, STRING_EMPTY))
        return false;
    if (object->kind == RAW_PTHREAD_JOIN) /* events have the thread */
      continue;
    if (!name_object(names, definitions, object, name))
      return false;
    names->refs.items[object->number] = definitions_string(definitions, name);
  }
  return true;
}

void object_names_free(struct object_names *names)
{
  vector_free(&names->refs);
  hash_free(&names->given);
}
