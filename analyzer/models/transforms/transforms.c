/* Lists of steps, their text and their streams; summaries and previews of sequences. */
#include "analyzer/models/transforms/transforms.h"

#include "analyzer/models/transforms/stage.h"
#include "analyzer/trace/output.h"
#include "base/hash.h"
#include "base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct transform_type *const transform_types[] = {&transform_clip_time,
                                                               &transform_clip_ends,
                                                               &transform_clip_range,
                                                               &transform_clip_phase,
                                                               &transform_filter_time,
                                                               &transform_filter_count,
                                                               &transform_aggregate,
                                                               &transform_project,
                                                               &transform_drop,
                                                               &transform_merge_values,
                                                               &transform_merge_components,
                                                               &transform_plugin,
                                                               NULL};

struct step {
  const struct transform_type *type;
  char *argument;
};

struct transforms {
  VECTOR(struct step) steps;
  bool lists_plugin;
};

const char *transforms_keyword(size_t index)
{
  return transform_types[index] ? transform_types[index]->keyword : NULL;
}

struct transforms *transforms_create(void)
{
  return calloc(1, sizeof(struct transforms));
}

void transforms_free(struct transforms *list)
{
  if (!list)
    return;
  for (size_t i = 0; i < list->steps.count; i++)
    free(list->steps.items[i].argument);
  vector_free(&list->steps);
  free(list);
}

size_t transforms_count(const struct transforms *list)
{
  return list->steps.count;
}

bool transforms_list_plugin(const struct transforms *list)
{
  return list->lists_plugin;
}

static const struct transform_type *find_type(const char *keyword)
{
  for (size_t i = 0; transform_types[i]; i++)
    if (strcmp(transform_types[i]->keyword, keyword) == 0)
      return transform_types[i];
  return NULL;
}

/* Checks that an argument fits into a line: no line end, no blanks around it. */
static char *copy_argument(const char *argument, struct error *error)
{
  for (const char *at = argument; *at; at++)
    if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) {
      error_set(error, "the argument has a control character");
      return NULL;
    }
  argument += strspn(argument, " \t");
  size_t length = strlen(argument);
  while (length > 0 && (argument[length - 1] == ' ' || argument[length - 1] == '\t'))
    length--;
  char *copy = strndup(argument, length);
  if (!copy)
    error_set(error, "out of memory");
  return copy;
}

/* Puts the step's keyword in front of its error. */
static bool name_step(const char *keyword, struct error *error)
{
  char reason[sizeof error->message];
  memcpy(reason, error->message, sizeof reason);
  return error_set(error, "%s: %s", keyword, reason);
}

bool transforms_add(struct transforms *list, const char *keyword, const char *argument, struct error *error)
{
  const struct transform_type *type = find_type(keyword);
  if (!type)
    return error_set(error, "there is no step %s", keyword);
  if (list->steps.count == TRANSFORMS_MAX)
    return error_set(error, "there are more than %d steps", TRANSFORMS_MAX);
  char *copy = copy_argument(argument, error);
  if (!copy || !type->check(copy, error)) {
    free(copy);
    return name_step(keyword, error);
  }
  if (vector_push(&list->steps, ((struct step){type, copy})))
    return true;
  free(copy);
  return error_set(error, "out of memory");
}

bool transforms_no_merge(struct transforms *list, struct error *error)
{
  struct step *last = list->steps.count > 0 ? &list->steps.items[list->steps.count - 1] : NULL;
  char *argument;
  if (!last || !last->type->is_projection)
    return error_set(error, "the step before is no projection");
  if (asprintf(&argument, "%s --no-merge", last->argument) < 0)
    return error_set(error, "out of memory");
  free(last->argument);
  last->argument = argument;
  return true;
}

struct transforms *transforms_copy(const struct transforms *list, size_t count, struct error *error)
{
  struct transforms *copy = transforms_create();
  bool good = copy || error_set(error, "out of memory");
  for (size_t i = 0; good && i < count && i < list->steps.count; i++)
    good = transforms_add(copy, list->steps.items[i].type->keyword, list->steps.items[i].argument, error);
  if (good)
    return copy;
  transforms_free(copy);
  return NULL;
}

static bool parse_line(struct transforms *list, char *line, struct error *error)
{
  line += strspn(line, " \t");
  if (*line == '#' || *line == '\0')
    return true;
  size_t length = strcspn(line, " \t");
  const char *argument = line[length] ? line + length + 1 : "";
  line[length] = '\0';
  list->lists_plugin |= strcmp(line, transform_plugin.keyword) == 0;
  return transforms_add(list, line, argument, error);
}

bool transforms_parse(struct transforms *list, const char *text, size_t length, const char *name, struct error *error)
{
  const char *end = text + length;
  for (size_t number = 1; text < end; number++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t line_length = (size_t)((stop ? stop : end) - text);
    if (memchr(text, '\0', line_length))
      return error_set(error, "%s:%zu: this is not text", name, number);
    char *line = strndup(text, line_length > 0 && text[line_length - 1] == '\r' ? line_length - 1 : line_length);
    if (!line)
      return error_set(error, "out of memory");
    struct error reason;
    bool good = parse_line(list, line, &reason);
    free(line);
    if (!good)
      return error_set(error, "%s:%zu: %s", name, number, reason.message);
    text = stop ? stop + 1 : end;
  }
  return true;
}

bool transforms_read(struct transforms *list, const char *path, struct error *error)
{
  FILE *file = fopen(path, "re");
  if (!file)
    return error_set(error, "%s: %s", path, strerror(errno));
  char *text = malloc(TRANSFORMS_TEXT_MAX + 1);
  size_t length = text ? fread(text, 1, TRANSFORMS_TEXT_MAX + 1, file) : 0;
  bool good;
  if (!text)
    good = error_set(error, "out of memory");
  else if (ferror(file))
    good = error_set(error, "%s: %s", path, strerror(errno));
  else if (length > TRANSFORMS_TEXT_MAX)
    good = error_set(error, "%s: more than %d bytes; this is not a list of steps", path, TRANSFORMS_TEXT_MAX);
  else
    good = transforms_parse(list, text, length, path, error);
  free(text);
  fclose(file);
  return good;
}

char *transforms_text(const struct transforms *list)
{
  char *text = NULL;
  size_t size;
  FILE *file = open_memstream(&text, &size);
  if (!file)
    return NULL;
  for (size_t i = 0; i < list->steps.count; i++)
    fprintf(file, "%s %s\n", list->steps.items[i].type->keyword, list->steps.items[i].argument);
  bool good = !ferror(file);
  if (fclose(file) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

bool transforms_write(const struct transforms *list, const char *path, struct error *error)
{
  char *text = transforms_text(list);
  if (!text)
    return error_set(error, "out of memory");
  struct output output;
  bool good = output_open(&output, path, error);
  if (good)
    good = output_close(&output, fputs(text, output.file) >= 0, error);
  free(text);
  return good;
}

struct pes_stream *transforms_open(const struct transforms *list, size_t count, struct pes_stream *source,
                                   struct error *error)
{
  for (size_t i = 0; i < count && i < list->steps.count; i++) {
    const struct step *step = &list->steps.items[i];
    struct pes_stream *next = step->type->open(source, step->argument, error);
    if (!next) {
      char reason[sizeof error->message];
      memcpy(reason, error->message, sizeof reason);
      error_set(error, "step %zu (%s %s): %s", i + 1, step->type->keyword, step->argument, reason);
      pes_close(source);
      return NULL;
    }
    source = next;
  }
  return source;
}

struct pes_stream *transforms_open_file(const struct transforms *list, size_t count, const char *path,
                                        struct error *error)
{
  struct pes_stream *source = pes_open(path, error);
  return source ? transforms_open(list, count, source, error) : NULL;
}

/* Summaries and previews. */

/* Transitions that occur: from << 32 | to. */
static bool add_transition(struct hash *transitions, uint32_t from, uint32_t to)
{
  uint64_t key = (uint64_t)from << 32 | to;
  return hash_find(transitions, key) || hash_add(transitions, key, 0);
}

static bool find_transitions(struct pes_stream *stream, struct hash *transitions, struct error *error)
{
  struct pes_record records[PES_BATCH];
  uint32_t last = PES_NONE;
  size_t count;
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count; i++) {
      if (last != PES_NONE && !add_transition(transitions, last, records[i].state))
        return error_set(error, "out of memory");
      last = records[i].state;
    }
  } while (count > 0);
  return true;
}

bool transforms_summarize(struct pes_stream *stream, struct transforms_summary *summary, struct error *error)
{
  struct pes_state_totals totals;
  struct hash transitions = {0};
  bool good = pes_state_totals_read(&totals, stream, error) && find_transitions(stream, &transitions, error);
  if (good) {
    *summary = (struct transforms_summary){
        .records = totals.records, .duration = totals.duration, .transitions = transitions.count};
    for (uint32_t i = 0; i < totals.states.count; i++) {
      enum pes_kind kind = pes_state(stream->states, i)->kind;
      summary->states += totals.states.items[i].count > 0;
      summary->filter_time += kind == PES_FILTER ? totals.states.items[i].time : 0;
      summary->pattern_time += kind == PES_PATTERN ? totals.states.items[i].time : 0;
    }
  }
  pes_state_totals_free(&totals);
  hash_free(&transitions);
  return good;
}

/* The first places where states from `first` on occur. */
static bool find_places(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error)
{
  struct pes_record records[PES_BATCH];
  struct transforms_place *open = NULL; /* its end is the next entry */
  uint64_t number = 0;
  size_t count;
  if (!pes_rewind(stream, error))
    return false;
  do {
    if (!pes_next(stream, records, &count, error))
      return false;
    for (size_t i = 0; i < count && (open || preview->place_count < places); i++, number++) {
      if (open)
        open->time = records[i].entry - open->entry;
      open = NULL;
      if (records[i].state < first || preview->place_count == places)
        continue;
      open = &preview->places[preview->place_count++];
      *open = (struct transforms_place){number, records[i].entry, 0, records[i].state};
    }
  } while (count > 0 && (open || preview->place_count < places));
  if (open)
    open->time = stream->end.time - open->entry;
  return true;
}

bool transforms_preview(struct pes_stream *stream, uint32_t first, size_t places, struct transforms_preview *preview,
                        struct error *error)
{
  struct pes_state_totals totals;
  *preview = (struct transforms_preview){0};
  bool good = pes_state_totals_read(&totals, stream, error);
  preview->begin = totals.begin;
  preview->duration = totals.duration;
  uint64_t occurrences = 0;
  for (uint32_t i = first; i < totals.states.count && good; i++) {
    preview->use_count += totals.states.items[i].count > 0;
    occurrences += totals.states.items[i].count;
  }
  places = places < occurrences ? places : occurrences;
  preview->uses = calloc(preview->use_count + 1, sizeof *preview->uses);
  preview->places = calloc(places + 1, sizeof *preview->places);
  if (good && (!preview->uses || !preview->places))
    good = error_set(error, "out of memory");
  size_t use = 0;
  for (uint32_t i = first; i < totals.states.count && good; i++)
    if (totals.states.items[i].count > 0)
      preview->uses[use++] = (struct transforms_use){i, totals.states.items[i].count, totals.states.items[i].time};
  good = good && find_places(stream, first, places, preview, error);
  pes_state_totals_free(&totals);
  return good;
}

void transforms_preview_free(struct transforms_preview *preview)
{
  free(preview->uses);
  free(preview->places);
}
