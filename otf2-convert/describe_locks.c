/* Names of locks, as properties of their processes: from where they were initialized, and from global variables. */
#include "otf2-convert/describer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define NAME_SIZE 1024

/* Compilers make variables of critical sections: .gomp_critical_user_NAME, and clang adds .var. */
#define CRITICAL     ".gomp_critical_user_"
#define CRITICAL_END ".var"

static bool critical_name(const char *variable, char name[NAME_SIZE])
{
  size_t begin = sizeof CRITICAL - 1, length = strlen(variable), end = sizeof CRITICAL_END - 1;
  if (strncmp(variable, CRITICAL, begin) != 0)
    return false;
  if (length >= begin + end && strcmp(variable + length - end, CRITICAL_END) == 0)
    length -= end;
  if (length == begin)
    snprintf(name, NAME_SIZE, "critical without a name");
  else
    snprintf(name, NAME_SIZE, "critical (%.*s)", (int)(length - begin), variable + begin);
  return true;
}

/* ` @philosophers.c:18`, or as much of it as is known. */
static void place_name(const struct source_place *place, char text[NAME_SIZE])
{
  const char *slash = strrchr(place->file, '/');
  if (place->line != 0 && place->file[0] != 0)
    snprintf(text, NAME_SIZE, "%s%s:%" PRIu32, NAME_AT, slash == NULL || slash[1] == 0 ? place->file : slash + 1,
             place->line);
  else if (place->function[0] != 0)
    snprintf(text, NAME_SIZE, "%s%s", NAME_AT, place->function);
  else
    text[0] = 0;
}

/* False: there is none. */
static bool lock_name(const struct describer *d, const struct lock_origin *origin, char name[NAME_SIZE])
{
  uint64_t into = 0;
  const char *variable = definitions_object(d->definitions, origin->process, origin->wait_id, &into);
  if (variable != NULL && critical_name(variable, name))
    return true;
  struct source_place place = {.function = "", .file = ""};
  char at[NAME_SIZE], which[32] = "";
  if (origin->code != 0)
    place = definitions_place(d->definitions, origin->process, origin->code);
  place_name(&place, at);
  if (variable == NULL && at[0] == 0)
    return false;
  if (at[0] != 0 && locks_of_call(&d->converted->locks, origin) > 1)
    snprintf(which, sizeof which, " #%" PRIu32, origin->which);
  else if (variable != NULL && into > 0)
    snprintf(which, sizeof which, "+0x%" PRIx64, into);
  if (at[0] != 0)
    snprintf(name, NAME_SIZE, "%.400s%.500s%s", variable != NULL ? variable : NAME_OF_LOCK, at, which);
  else
    snprintf(name, NAME_SIZE, "%.900s%s", variable, which);
  return true;
}

void describe_locks(struct describer *d)
{
  char name[NAME_SIZE];
  const struct locks *locks = &d->converted->locks;
  for (size_t i = 0; i < locks->origins.count && d->error == 0; i++) {
    if (!lock_name(d, &locks->origins.items[i], name))
      continue;
    OTF2_StringRef key = describer_format(d, "%s%zu", NAME_LOCK, i);
    OTF2_AttributeValue value = {.stringRef = describer_string(d, name)};
    archive_check(d->archive, OTF2_GlobalDefWriter_WriteLocationGroupProperty(
                                  d->writer, locks->origins.items[i].process, key, OTF2_TYPE_STRING, value));
  }
}
