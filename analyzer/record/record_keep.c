#include "analyzer/record/record_keep.h"

#include "analyzer/command/command.h"
#include "analyzer/record/launch/siblings.h"
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

/* Whether a place is a source line, as solver.c:42 or solver.c:42-50. */
static bool has_line(const char *text)
{
  const char *colon = strrchr(text, ':');
  return colon && colon > text && colon[1] && strspn(colon + 1, "0123456789-") == strlen(colon + 1);
}

/* Of a construct as other commands print it, "omp_set_lock @solver.c:42", the source line. */
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

/* How much two ranges have in common: their module. */
static size_t module_size(const char *range)
{
  const char *plus = strrchr(range, '+');
  return plus ? (size_t)(plus - range) : 0;
}

/* Adds a range to a place; its module only where it is not that of the range before. False: out of memory. */
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

bool record_places_find(kept_places *places, const struct look *look, const struct place_search *search)
{
  if (places->count == 0 || !look || !look->executable)
    return true;
  char *converter = sibling_path(SIBLING_CONVERT), *option = strdup(search->of_converter), end[] = "--";
  char **arguments = calloc(look->count + places->count + 5, sizeof *arguments);
  size_t n = 0;
  bool good = converter && option && arguments;
  if (good) {
    arguments[n++] = converter;
    arguments[n++] = option;
    arguments[n++] = look->executable;
    for (size_t i = 0; i < look->count; i++)
      if (look->libraries[i].path)
        arguments[n++] = look->libraries[i].path;
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

bool record_keep_find(kept_places *places, const struct look *look)
{
  return record_places_find(places, look, &(struct place_search){"--keep", "--find-places"});
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

/* Whether a place is the name of a critical section, as other commands print it. */
static bool is_section(const char *text)
{
  return strncmp(text, NAME_SECTION_LOCK, strlen(NAME_SECTION_LOCK)) == 0;
}

/* Whether a place that has no code, or no variable, should have some. */
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

/* Whether a method is com.acme.Solver.step, where the text may be Solver.step. */
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
      return true; /* libomp does not tell which section it is */
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
                    "--keep %s: nothing was kept: no function or file of %s and the libraries that it is linked with "
                    "has this name, and no region or event of its own",
                    text, program);
  }
  trace_close(trace);
}
