/* Names of locks, as properties of their processes: from where they were initialized, and from global variables. */
#include "otf2-convert/describe/describer.h"
#include "otf2-convert/symbols/symbol_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DESCRIBE_LOCKS_NAME_SIZE 1024

/* ` @philosophers.c:18`, or as much of it as is known, of the call that initialized a lock. */
static void place_name(const struct describer *d, const struct lock_origin *origin, char text[DESCRIBE_LOCKS_NAME_SIZE])
{
  text[0] = 0;
  if (origin->code == 0)
    return;
  const struct source_place place = definitions_place(d->definitions, origin->process, origin->code);
  const char *slash = strrchr(place.file, '/');
  if (place.line != 0 && place.file[0] != 0)
    snprintf(text, DESCRIBE_LOCKS_NAME_SIZE, "%s%.480s:%" PRIu32, NAME_AT,
             slash == NULL || slash[1] == 0 ? place.file : slash + 1, place.line);
  else if (place.function[0] != 0)
    snprintf(text, DESCRIBE_LOCKS_NAME_SIZE, "%s%.480s", NAME_AT, place.function);
}

/* A compiler's copies of one call are one place. */
static uint64_t place_key(const struct lock_origin *origin, const char *place)
{
  return hash_text(hash_mix(origin->process), place);
}

/* How many locks each place initialized. False: no memory. */
static bool count_places(const struct describer *d, struct hash *counts)
{
  char place[DESCRIBE_LOCKS_NAME_SIZE];
  const struct locks *locks = &d->converted->locks;
  for (size_t i = 0; i < locks->origins.count; i++) {
    place_name(d, &locks->origins.items[i], place);
    uint64_t key = place_key(&locks->origins.items[i], place), *known = hash_find(counts, key);
    if (known != NULL)
      ++*known;
    else if (hash_add(counts, key, 1) == NULL)
      return false;
  }
  return true;
}

/* False: there is none. counts: of the locks of each place; the upper half counts those that have been named. */
static bool describe_lock_name(const struct describer *d, const struct lock_origin *origin, struct hash *counts,
                               char name[DESCRIBE_LOCKS_NAME_SIZE])
{
  uint64_t into = 0;
  const struct process_info *info = &d->plan->processes.items[origin->process].info;
  if (section_name_in_java(&info->java, origin->wait_id, name, DESCRIBE_LOCKS_NAME_SIZE))
    return true;
  const char *variable = definitions_object(d->definitions, origin->process, origin->wait_id, &into);
  if (variable != NULL && section_name(variable, name, DESCRIBE_LOCKS_NAME_SIZE))
    return true;
  char at[DESCRIBE_LOCKS_NAME_SIZE], which[32] = "";
  place_name(d, origin, at);
  if (variable == NULL && at[0] == 0)
    return false;
  uint64_t *count = hash_find(counts, place_key(origin, at));
  *count += 1ull << 32;
  if (at[0] != 0 && (uint32_t)*count > 1)
    snprintf(which, sizeof which, " #%" PRIu64, *count >> 32);
  else if (variable != NULL && into > 0)
    snprintf(which, sizeof which, "+0x%" PRIx64, into);
  if (at[0] != 0)
    snprintf(name, DESCRIBE_LOCKS_NAME_SIZE, "%.400s%.500s%s", variable != NULL ? variable : NAME_OF_LOCK, at, which);
  else
    snprintf(name, DESCRIBE_LOCKS_NAME_SIZE, "%.900s%s", variable, which);
  return true;
}

void describe_locks(struct describer *d)
{
  char name[DESCRIBE_LOCKS_NAME_SIZE];
  struct hash counts = {0};
  const struct locks *locks = &d->converted->locks;
  if (!count_places(d, &counts))
    d->error = ENOMEM;
  for (size_t i = 0; i < locks->origins.count && d->error == 0; i++) {
    if (!describe_lock_name(d, &locks->origins.items[i], &counts, name))
      continue;
    OTF2_StringRef key = describer_format(d, "%s%zu", NAME_LOCK, i);
    OTF2_AttributeValue value = {.stringRef = describer_string(d, name)};
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                                  d->writer, locks->origins.items[i].process, key, OTF2_TYPE_STRING, value));
  }
  hash_free(&counts);
}
