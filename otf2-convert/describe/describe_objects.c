/* Names of what POSIX threads wait for, as properties of their processes: `forks[2] @philosophers.c:18`, `queue_lock`.
 */
#include "base/count_of.h"
#include "otf2-convert/describe/describer.h"

#include "common/raw/raw_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DESCRIBE_OBJECTS_NAME_SIZE 1024

static const char *kind_name(unsigned kind)
{
  static const char *const names[] = {[RAW_PTHREAD_MUTEX] = "mutex",
                                      [RAW_PTHREAD_WRITE] = "rwlock",
                                      [RAW_PTHREAD_SPIN] = "spin lock",
                                      [RAW_PTHREAD_CONDITION] = "condition",
                                      [RAW_PTHREAD_SEMAPHORE] = REGION_PTHREAD_SEMAPHORE,
                                      [RAW_PTHREAD_BARRIER] = "barrier"};
  const char *name = kind < COUNT_OF(names) ? names[kind] : NULL;
  return name == NULL ? "synchronization object" : name;
}

static void describe_objects_append(char name[DESCRIBE_OBJECTS_NAME_SIZE], const char *text)
{
  size_t used = strlen(name);
  snprintf(name + used, DESCRIBE_OBJECTS_NAME_SIZE - used, "%s", text);
}

/* " @file:line", or as much as is known. */
static void append_place(char name[DESCRIBE_OBJECTS_NAME_SIZE], const struct source_place *place)
{
  const char *slash = strrchr(place->file, '/');
  size_t used = strlen(name);
  if (place->line != 0)
    snprintf(name + used, DESCRIBE_OBJECTS_NAME_SIZE - used, "%s%s:%" PRIu32, NAME_AT,
             slash == NULL ? place->file : slash + 1, place->line);
  else if (place->function[0] != 0)
    snprintf(name + used, DESCRIBE_OBJECTS_NAME_SIZE - used, "%s%s+0x%" PRIx64, NAME_AT, place->function, place->into);
}

/*
 * Each object has a name of its own: its number among those of the same name, from `nth` on. One call may be several in
 * the code, each of which counts its own objects. A variable needs no number if it is the first.
 */
static bool append_number(struct hash *given, uint32_t process, bool variable, uint64_t nth,
                          char name[DESCRIBE_OBJECTS_NAME_SIZE])
{
  uint64_t of = hash_text(hash_mix(process), name), *last = hash_find(given, of);
  char text[32];
  bool is_first = last == NULL;
  if (is_first && (last = hash_add(given, of, 0)) == NULL)
    return false;
  if (is_first && variable)
    return *last = 1, true;
  if (nth == 0)
    nth = *last + 1;
  while (hash_find(given, hash_mix(of + nth)) != NULL)
    nth++;
  *last = nth;
  snprintf(text, sizeof text, " #%" PRIu64, nth);
  describe_objects_append(name, text);
  return hash_add(given, hash_mix(of + nth), 0) != NULL;
}

/*
 * The variable, as far as the debug information or the symbol table has it; where the object was initialized and which
 * one of them; or else where a thread waited for it first.
 */
static bool name_object(struct describer *d, const struct lock_object *object, struct hash *given,
                        char name[DESCRIBE_OBJECTS_NAME_SIZE])
{
  uint64_t nth = 0;
  bool variable =
      definitions_variable(d->definitions, object->process, object->address, name, DESCRIBE_OBJECTS_NAME_SIZE);
  if (!variable)
    snprintf(name, DESCRIBE_OBJECTS_NAME_SIZE, "%s", kind_name(object->kind));
  if (object->code != 0) {
    struct source_place place = definitions_place(d->definitions, object->process, object->code);
    append_place(name, &place);
    nth = object->nth;
  } else if (!variable && object->user != 0) {
    struct source_place place = definitions_place(d->definitions, object->process, object->user);
    describe_objects_append(name, " used");
    append_place(name, &place);
  }
  return append_number(given, object->process, variable, variable ? 0 : nth, name);
}

void describe_objects(struct describer *d)
{
  struct hash given = {0}; /* process and name, hashed -> the last number; and these with a number -> nothing */
  char name[DESCRIBE_OBJECTS_NAME_SIZE];
  const struct locks *locks = &d->converted->locks;
  for (size_t i = 0; i < locks->objects.count && i < LOCK_ORIGINS && d->error == 0; i++) {
    const struct lock_object *object = &locks->objects.items[i];
    if (object->kind == RAW_PTHREAD_JOIN) /* events have the thread */
      continue;
    if (!name_object(d, object, &given, name))
      d->error = ENOMEM;
    OTF2_StringRef key = describer_format(d, "%s%" PRIu32, NAME_LOCK, object->number);
    OTF2_AttributeValue value = {.stringRef = describer_string(d, name)};
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteLocationGroupProperty(d->writer, object->process, key,
                                                                              OTF2_TYPE_STRING, value));
  }
  hash_free(&given);
}
