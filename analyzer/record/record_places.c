#include "analyzer/record/record_places.h"

#include "analyzer/command/command.h"
#include "analyzer/command/values.h"
#include "analyzer/record/launch/environment.h"
#include "analyzer/trace/definitions.h"
#include "base/count_of.h"
#include "base/error.h"
#include "common/raw/archive_names.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RECORD_KEEP_LONGEST (100u << 10) /* of HEDDLE_KEEP; the kernel takes 128 KiB a variable */

/* True if a place is a source line, as solver.c:42 or solver.c:42-50. */
static bool has_line(const char *text)
{
  const char *colon = strrchr(text, ':');
  return colon && colon > text && colon[1] && strspn(colon + 1, "0123456789-") == strlen(colon + 1);
}

/* Reduces a construct as other commands print it, "omp_set_lock @solver.c:42", to its source line. */
static void keep_line(char *text)
{
  const char *at = strstr(text, NAME_AT), *line = at ? at + strlen(NAME_AT) : NULL;
  if (line && has_line(line))
    memmove(text, line, strlen(line) + 1);
}

bool record_keep_add(kept_places *places, const char *list)
{
  for (const char *end; *list; list = *end ? end + 1 : end) {
    end = strchrnul(list, ';');
    if (end == list)
      continue;
    struct kept_place place = {.text = strndup(list, (size_t)(end - list))};
    if (place.text)
      keep_line(place.text);
    if (!place.text || !vector_push(places, place)) {
      free(place.text);
      return false;
    }
  }
  return true;
}

void record_keep_free(kept_places *places)
{
  for (size_t i = 0; i < places->count; i++) {
    free(places->items[i].text);
    free(places->items[i].ranges);
  }
  vector_free(places);
}

/* The length of a range's module. */
static size_t module_size(const char *range)
{
  const char *plus = strrchr(range, '+');
  return plus ? (size_t)(plus - range) : 0;
}

/* Adds a range to a place; its module only if it differs from the module of the range before. False: out of memory. */
static bool add_range(struct kept_place *place, const char *range)
{
  size_t module = module_size(range);
  const char *before = place->ranges ? place->ranges : "", *last = before;
  for (const char *comma = before; *comma; comma++)
    if (*comma == ',' && comma[1] != '+')
      last = comma + 1;
  bool same = *before && strncmp(last, range, module + 1) == 0;
  char *ranges;
  if (asprintf(&ranges, "%s%s%s", before, *before ? "," : "", same ? range + module : range) < 0)
    return false;
  free(place->ranges);
  place->ranges = ranges;
  return true;
}

/* Reads the converter's lines: the number of a place, a range. False: out of memory. */
static bool read_ranges(kept_places *places, FILE *lines)
{
  char *line = NULL;
  size_t room = 0;
  bool good = true;
  while (good && getline(&line, &room, lines) > 0) {
    char *range;
    unsigned long number = strtoul(line, &range, 10);
    line[strcspn(line, "\n")] = '\0';
    if (*range == ' ' && number < places->count)
      good = add_range(&places->items[number], range + 1);
  }
  free(line);
  return good;
}

/* Starts the converter, whose output goes into a pipe. Returns the end to read, or -1. */
static int start_converter(char **arguments, pid_t *pid)
{
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  int error = posix_spawn(pid, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0)
    return ends[0];
  close(ends[0]);
  errno = error;
  return -1;
}

static bool run_converter(kept_places *places, char **arguments, const char *asked)
{
  pid_t pid;
  int status = -1, from = start_converter(arguments, &pid);
  FILE *lines = from >= 0 ? fdopen(from, "r") : NULL;
  if (!lines) {
    command_error("record", "%s: %s", arguments[0], strerror(errno));
    return false;
  }
  bool good = read_ranges(places, lines);
  fclose(lines);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (!good || status != 0)
    command_error("record", "%s: %s", asked, good ? "the converter failed" : "out of memory");
  return good && status == 0;
}

bool record_places_find(kept_places *places, const struct program_libraries *libraries,
                        const struct place_search *search)
{
  if (places->count == 0 || !libraries || !libraries->executable)
    return true;
  char *converter = sibling_path(SIBLING_CONVERT), *option = strdup(search->of_converter), end[] = "--";
  char **arguments = calloc(libraries->count + places->count + 5, sizeof *arguments);
  size_t n = 0;
  bool good = converter && option && arguments;
  if (good) {
    arguments[n++] = converter;
    arguments[n++] = option;
    arguments[n++] = libraries->executable;
    for (size_t i = 0; i < libraries->count; i++)
      if (libraries->libraries[i].path)
        arguments[n++] = libraries->libraries[i].path;
    arguments[n++] = end;
    for (size_t i = 0; i < places->count; i++)
      arguments[n++] = places->items[i].text;
    good = run_converter(places, arguments, search->option);
  } else {
    command_error("record", "out of memory");
  }
  free(arguments);
  free(option);
  free(converter);
  return good;
}

bool record_keep_find(kept_places *places, const struct program_libraries *libraries)
{
  return record_places_find(places, libraries, &(struct place_search){"--keep", "--find-places"});
}

/* Code of Java has no addresses before it runs. */
static bool is_of_java(const char *text)
{
  static const char *const sources[] = JAVA_SOURCES;
  for (size_t i = 0; i < COUNT_OF(sources); i++) {
    const char *end = strstr(text, sources[i]);
    end = end ? end + strlen(sources[i]) : NULL;
    if (end && (*end == ':' || *end == '\0'))
      return true;
  }
  return false;
}

/* True if a place is the name of a critical section, as other commands print it. */
static bool is_section(const char *text)
{
  return strncmp(text, NAME_SECTION_LOCK, strlen(NAME_SECTION_LOCK)) == 0;
}

/* True if a place without code or variable should have some. */
static bool was_expected(const struct kept_place *place)
{
  return !place->ranges && !strchr(place->text, '@') &&
         (is_section(place->text) || (has_line(place->text) && !is_of_java(place->text)));
}

void record_keep_set(const kept_places *places, struct environment *environment)
{
  size_t size = 0;
  for (size_t i = 0; i < places->count; i++) {
    const struct kept_place *place = &places->items[i];
    char *entry;
    if (was_expected(place))
      continue;
    if (asprintf(&entry, "%s%s%s", place->text, place->ranges ? "@" : "", place->ranges ? place->ranges : "") < 0) {
      environment->failed = true;
      return;
    }
    size += strlen(entry) + 1;
    if (size > RECORD_KEEP_LONGEST)
      command_error("record", "--keep %s: its code is in too many pieces; give source lines or functions", place->text);
    else if (size == strlen(entry) + 1)
      environment_set(environment, "HEDDLE_KEEP", entry);
    else
      environment_append(environment, "HEDDLE_KEEP", entry, ';');
    free(entry);
  }
}

void record_keep_warn_before(const kept_places *places, const char *program)
{
  for (size_t i = 0; i < places->count; i++) {
    if (!was_expected(&places->items[i]))
      continue;
    const char *text = places->items[i].text;
    bool section = is_section(text);
    command_error("record",
                  "--keep %s: no %s in %s and the libraries that it is linked with; nothing is kept there (%s)", text,
                  section ? "critical section of this name" : "code of this source line", program,
                  section ? "were they stripped?" : "was it compiled with -g?");
  }
}

/* True if a method, such as com.acme.Solver.step, matches the text, such as Solver.step. */
static bool is_method(const struct trace_region *region, const char *text)
{
  size_t size = strlen(text), length = strlen(region->function);
  const char *end = region->function + length - size;
  return strchr(text, '.') && length > size && strcmp(end, text) == 0 && (end[-1] == '.' || end[-1] == '$');
}

static bool is_recorded(const struct trace *trace, const char *text)
{
  const char *slash = is_of_java(text) ? strrchr(text, '/') : NULL; /* archives have the names of Java's files alone */
  text = slash ? slash + 1 : text;
  for (uint32_t i = 0; i < trace->region_count; i++)
    if (trace_region_is_at(&trace->regions[i], text, strlen(text)) || is_method(&trace->regions[i], text) ||
        (is_section(text) && trace_region_is_directive(&trace->regions[i], REGION_CRITICAL)))
      return true; /* libomp does not report which section it is */
  return false;
}

void record_keep_warn_after(const kept_places *places, const char *path, const char *program)
{
  struct error error = {0};
  struct trace *trace = places->count > 0 ? trace_open(path, &error) : NULL;
  for (size_t i = 0; trace && i < places->count; i++) {
    const char *text = places->items[i].text;
    if (was_expected(&places->items[i]) || strchr(text, '@') || is_recorded(trace, text))
      continue;
    if (places->items[i].ranges || is_of_java(text))
      command_error("record", "--keep %s: nothing was recorded there", text);
    else
      command_error("record",
                    "--keep %s: nothing was kept: no function or file of %s and its linked libraries has this name, "
                    "and no own region or event",
                    text, program);
  }
  trace_close(trace);
}

#define RECORD_CALLS_LONGEST (100u << 10) /* of HEDDLE_CALLS_ONLY; the kernel takes 128 KiB a variable */
#define NO_FUNCTION          "none+0-0"   /* of it: an empty list would be all functions */

/* True if a list begins with the word; the list then begins after it. */
static bool begins_with_word(const char **list, const char *word)
{
  size_t size = strlen(word);
  if (strncmp(*list, word, size) != 0 || ((*list)[size] != ',' && (*list)[size] != '\0'))
    return false;
  *list += size + ((*list)[size] == ',');
  return true;
}

int record_calls_take(const struct option_given *given, struct record_calls *calls, struct environment *environment)
{
  const char *list = given->value ? given->value : "";
  calls->on = true;
  bool trace = begins_with_word(&list, "trace");
  if (!trace)
    begins_with_word(&list, "tree");
  environment_set(environment, "HEDDLE_CALLS_JAVA", *list ? list : "*");
  environment_set(environment, "HEDDLE_CALLS", trace ? "trace" : "tree");
  for (const char *end; *list; list = *end ? end + 1 : end) {
    end = strchrnul(list, ',');
    struct kept_place place = {.text = strndup(list, (size_t)(end - list))};
    if (end == list || strcmp(list, "@") == 0) {
      free(place.text);
      return command_usage("record", "--calls=%s: give names of functions and @FILEs with commas between them",
                           given->value);
    }
    if (!place.text || !vector_push(&calls->only, place)) {
      free(place.text);
      environment->failed = true;
    }
  }
  return -1;
}

int record_calls_take_depth(const struct option_given *given, struct record_calls *calls,
                            struct environment *environment)
{
  uint64_t depth;
  calls->has_depth = true;
  if (!value_number(given->value, 1, 1000000, &depth))
    return command_usage("record", "--calls-depth %s: not a number from 1 to 1000000", given->value);
  environment_set(environment, "HEDDLE_CALLS_DEPTH", given->value);
  return -1;
}

bool record_calls_check(const struct record_calls *calls, const char *other)
{
  if (calls->on && other)
    command_usage("record", "--calls records no calls with %s: leave one of them out", other);
  else if (!calls->on && calls->has_depth)
    command_usage("record", "--calls-depth is for exact calls: give --calls, too");
  else
    return true;
  return false;
}

bool record_calls_allow_sample(const struct record_calls *calls, const struct kernel_sampling *sampling,
                               const struct program_libraries *libraries, struct environment *environment)
{
  const char *entries = libraries ? program_libraries_entries(libraries) : NULL;
  if (!calls->on || sampling->triggers.count == 0 || sampling->stacks == KERNEL_STACKS_NONE)
    return true;
  environment_set(environment, "HEDDLE_CALLS_SAMPLED", "1");
  if (!entries)
    return true;
  command_error("record",
                "--calls: %s was compiled with -pg -mfentry or -fpatchable-function-entry: stacks cannot be sampled "
                "while calls are recorded; use --stack none, or omit --sample or --calls",
                entries);
  return false;
}

/* All ranges, with commas between them; a module's name only if it differs from the module of the range before. */
static char *ranges_of(const kept_places *only)
{
  char *all = strdup("");
  for (size_t i = 0; all && i < only->count; i++) {
    char *more = NULL;
    if (only->items[i].ranges && asprintf(&more, "%s%s%s", all, *all ? "," : "", only->items[i].ranges) < 0)
      more = NULL;
    if (only->items[i].ranges) {
      free(all);
      all = more;
    }
  }
  return all;
}

bool record_calls_find(struct record_calls *calls, const struct program_libraries *libraries,
                       struct environment *environment)
{
  if (calls->only.count == 0)
    return true;
  if (libraries && libraries->jvm) { /* the names are names of methods, which the agent finds */
    environment_set(environment, "HEDDLE_CALLS_ONLY", NO_FUNCTION);
    return true;
  }
  if (!record_places_find(&calls->only, libraries, &(struct place_search){"--calls", "--find-functions"}))
    return false;
  char *ranges = ranges_of(&calls->only);
  bool good = ranges && strlen(ranges) <= RECORD_CALLS_LONGEST;
  if (!good)
    command_error("record", ranges ? "--calls: too many functions in too many places; give fewer names, or files"
                                   : "out of memory");
  else
    environment_set(environment, "HEDDLE_CALLS_ONLY", *ranges ? ranges : NO_FUNCTION);
  free(ranges);
  return good;
}

void record_calls_free(struct record_calls *calls)
{
  record_keep_free(&calls->only);
}

bool record_calls_warn(const struct record_calls *calls, const struct program_libraries *libraries, const char *program)
{
  size_t unknown = 0;
  if (!calls->on || !libraries || !libraries->executable || libraries->script || libraries->jvm)
    return false;
  if (!program_libraries_hooks(libraries)) {
    command_error("record",
                  "--calls: no function of %s and its linked libraries reports its calls; compile with "
                  "-finstrument-functions, -pg -mfentry or -fpatchable-function-entry=5 (the latter two: x86-64)",
                  program);
    return true;
  }
  for (size_t i = 0; i < calls->only.count; i++) {
    if (calls->only.items[i].ranges)
      continue;
    command_error("record", "--calls=%s: no function of %s and the libraries that it is linked with %s",
                  calls->only.items[i].text, program,
                  calls->only.items[i].text[0] == '@' ? "is in such a file (was it compiled with -g?)"
                                                      : "has such a name");
    unknown++;
  }
  return unknown > 0 && unknown == calls->only.count;
}
