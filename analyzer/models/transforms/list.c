/* A list of steps, its text, and the stream it makes of another. */
#include "analyzer/models/transforms/transforms.h"
#include "analyzer/models/transforms/stage.h"
#include "analyzer/trace/output.h"
#include "base/vector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The argument is written into a line and read again: nothing in it may end the line, and blanks around it are none. */
static char *copy_argument(const char *argument, struct error *error)
{
  for (const char *at = argument; *at; at++)
    if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f) {
      error_set(error, "there is a control character in the argument");
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

/* Puts the step's keyword before what is wrong with it. */
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
