/* Definitions that events of several threads refer to: regions, locks, objects of POSIX threads, counters. */
#include "base/count_of.h"
#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"
#include "otf2-convert/describe/describe.h"
#include "otf2-convert/describe/names.h"
#include "otf2-convert/scan/counters.h"
#include "otf2-convert/symbols/symbol_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static OTF2_StringRef describe_regions_function_name(struct describer *d, const struct region *region)
{
  char name[4096];
  struct code_function functions[CODE_FUNCTIONS_MOST] = {{.file = ""}};
  struct code_place code = {.offset = region->offset, .java = region->java};
  if (region->module != MODULE_NONE) {
    const struct code_module *module = &d->definitions->modules.items.items[region->module];
    code.home = (struct code_home){.path = module->path, .symbols = module->symbols};
  }
  if (code.home.symbols != NULL)
    symbols_code(code.home.symbols, region->offset, functions);
  code.function = functions[0];
  if (region->java && region->place.function[0] != 0)
    code.function.name = region->place.function;
  describer_function(&code, name, sizeof name);
  return describer_string(d, name);
}

OTF2_StringRef describer_region(struct describer *d, const struct region *region)
{
  char name[DEFINITIONS_TEXT_MAX];
  if (region->construct == C_ON_PROCESSOR && d->location_names != NULL && region->offset != 0)
    return d->location_names[region->offset - 1];
  if (region->construct == C_CALL)
    return describe_regions_function_name(d, region);
  region_name(d->definitions, region, name, sizeof name);
  return describer_string(d, name);
}

static void describe_regions_write_region(struct describer *d, uint32_t number)
{
  const struct region *region = &d->definitions->regions.items[number];
  const struct source_place *place = &region->place;
  const struct construct_facts *facts = &construct_facts[region->construct];
  char facts_text[REGION_DESCRIPTION_SIZE];
  region_description(region, facts_text, sizeof facts_text);
  OTF2_StringRef name = describer_region(d, region);
  OTF2_StringRef canonical = place->function[0] != 0 ? describer_string(d, place->function) : name;
  OTF2_StringRef file = describer_string(d, place->file);
  OTF2_RegionFlag flags = region->construct == C_USER_PHASE ? OTF2_REGION_FLAG_PHASE : OTF2_REGION_FLAG_NONE;
  archive_check(d->archive, OTF2_GlobalDefWriter_WriteRegion(
                                d->writer, number, name, canonical, describer_string(d, facts_text), facts->role,
                                construct_paradigm(region->construct), flags, file, place->line, place->line));
}

void describe_regions(struct describer *d)
{
  for (size_t i = 0; i < d->definitions->regions.count && d->error == 0; i++)
    describe_regions_write_region(d, (uint32_t)i);
}

/* Names of locks, as properties of their processes: from where they were initialized, and from global variables. */

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

/* Counts the locks that each place initialized. False: out of memory. */
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

/* False: there is none. counts: locks at each place; the upper half counts the named ones. */
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

/* Names of what POSIX threads wait for, as properties of their processes: `forks[2] @philosophers.c:18`, `queue_lock`.
 */

#define DESCRIBE_OBJECTS_NAME_SIZE 1024

static const char *kind_name(unsigned kind)
{
  static const char *const names[] = {[RAW_PTHREAD_MUTEX] = "mutex",
                                      [RAW_PTHREAD_WRITE] = "rwlock",
                                      [RAW_PTHREAD_SPIN] = "spin lock",
                                      [RAW_PTHREAD_CONDITION] = "condition",
                                      [RAW_PTHREAD_SEMAPHORE] = REGION_PTHREAD_SEMAPHORE,
                                      [RAW_PTHREAD_BARRIER] = "barrier",
                                      [RAW_PTHREAD_ATOMIC] = "atomic"};
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
 * Each object has a name of its own: its number among the objects of the same name, from `nth` on. One call may be
 * several in the code, and each counts its own objects. A variable needs no number if it is the first.
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
 * The variable, as far as the debug information or the symbol table has it. Else where the object was initialized and
 * which one it is there, or where a thread waited for it first.
 */
static bool name_object(struct describer *d, const struct lock_object *object, struct hash *given,
                        char name[DESCRIBE_OBJECTS_NAME_SIZE])
{
  uint64_t nth = 0;
  *name = 0;
  bool variable =
      definitions_variable(d->definitions, object->process, object->address, name, DESCRIBE_OBJECTS_NAME_SIZE);
  if (object->kind == RAW_PTHREAD_ATOMIC && strncmp(name, "__", 2) == 0) /* the C++ library's */
    variable = false;
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

/* The metrics of counters: one of each name, and for each process a class of the counters that its threads read. */

#define FIRST_MEMBER 3u /* after METRICS */

/* A name, and its source, on which the unit depends. */
static OTF2_MetricMemberRef member_of(struct describer *d, struct string_table *members, const char *name, char source)
{
  char key[COUNTER_NAME_SIZE + 4];
  snprintf(key, sizeof key, "%c %s", source, name);
  size_t known = members->items.count;
  uint32_t number = string_table_number(members, key);
  if (number == STRING_TABLE_NONE) {
    d->error = ENOMEM;
    return FIRST_MEMBER;
  }
  if (members->items.count == known)
    return FIRST_MEMBER + number;
  int64_t exponent;
  const char *unit = counter_unit(source, &exponent);
  OTF2_StringRef name_ref = describer_string(d, name), unit_ref = describer_string(d, unit);
  OTF2_StringRef description = describer_string(d, "counted for the thread since its first reading");
  archive_check(d->archive,
                OTF2_GlobalDefWriter_WriteMetricMember(d->writer, FIRST_MEMBER + number, name_ref, description,
                                                       counter_type(source), OTF2_METRIC_ACCUMULATED_START,
                                                       OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, exponent, unit_ref));
  return FIRST_MEMBER + number;
}

static void write_classes(struct describer *d)
{
  struct string_table members = {0};
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    struct counter_names names = counter_names(&d->plan->processes.items[i].info);
    OTF2_MetricMemberRef refs[COUNTER_NAMES_MOST];
    for (unsigned k = 0; k < names.count; k++)
      refs[k] = member_of(d, &members, names.list[k].name, names.list[k].source);
    if (names.count > 0)
      archive_check(d->archive, OTF2_GlobalDefWriter_WriteMetricClass(
                                    d->writer, d->plan->processes.items[i].counter_class, (uint8_t)names.count, refs,
                                    OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
  }
  string_table_free(&members);
}

void describe_counters(struct describer *d)
{
  char number[32];
  uint64_t lost = 0;
  double ns = 0;
  for (uint32_t i = 0; i < d->plan->processes.count; i++) {
    const struct process *process = &d->plan->processes.items[i];
    lost += process->info.counters_lost;
    if (ns == 0 && process->frequency > 0)
      ns = (double)process->info.counter_ticks * 1e9 / process->frequency;
  }
  if (d->converted->counts.counters > 0) {
    write_classes(d);
    snprintf(number, sizeof number, "%" PRIu64, d->converted->counts.counters);
    archive_set_property(d->archive, ARCHIVE_COUNTERS, number);
  }
  if (ns > 0 && ns < 1e9) {
    snprintf(number, sizeof number, "%.0f", ns);
    archive_set_property(d->archive, ARCHIVE_COUNTERS_PRICE, number);
  }
  if (lost > 0) {
    snprintf(number, sizeof number, "%" PRIu64, lost);
    archive_set_property(d->archive, ARCHIVE_COUNTERS_LOST, number);
  }
}

bool describe_counters_scaled(const struct location *location, char *names, size_t size)
{
  struct counter_names all = counter_names(&location->process->info);
  names[0] = 0;
  for (unsigned i = 0; i < all.count; i++) {
    size_t used = strlen(names);
    if ((location->facts.counters_scaled >> i & 1) != 0)
      snprintf(names + used, size - used, "%s%s", used > 0 ? "," : "", all.list[i].name);
  }
  return names[0] != 0;
}
