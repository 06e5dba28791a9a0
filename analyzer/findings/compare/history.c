/* Runs as lines of JSON: a file that grows by a line a run. */
#include "analyzer/findings/compare/figures.h"

#include "analyzer/models/json_file/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MADE_BY "heddle compare --history FILE RUN..."
enum { HISTORY_VERSION = 1, ROWS_MOST = 100000 };

static json_t *row_document(const struct run_row *row)
{
  json_t *document = json_object();
  const char *texts[] = {row->name, row->function, row->file, row->text};
  static const char *const keys[] = {"name", "function", "file", "text"};
  bool good = document && json_object_set_new(document, "kind", json_string(run_row_kind_name(row->kind))) == 0;
  for (unsigned i = 0; good && i < 4; i++)
    good = !*texts[i] || json_object_set_new(document, keys[i], json_file_from_text(texts[i])) == 0;
  if (good && row->line)
    good = json_object_set_new(document, "line", json_integer(row->line)) == 0;
  for (unsigned i = 0; good && i < RUN_FIGURES; i++)
    if (isfinite(row->values[i]) && i != RUN_RELATIVE)
      good = json_object_set_new(document, run_figure_key((enum run_figure)i), json_real(row->values[i])) == 0;
  if (!good)
    json_decref(document);
  return good ? document : NULL;
}

static json_t *run_document(const struct run_figures *run)
{
  json_t *rows = json_array();
  bool good = rows;
  for (size_t i = 0; good && i < run->rows.count; i++)
    good = json_array_append_new(rows, row_document(&run->rows.items[i])) == 0;
  json_t *document = good
                         ? json_pack("{s:s,s:i,s:o,s:o,s:I,s:I,s:b,s:O}", "format", "heddle run", "version",
                                     HISTORY_VERSION, "path", json_file_from_text(run->path), "program",
                                     json_file_from_text(run->program), "began", (json_int_t)run->began, "threads",
                                     (json_int_t)run->threads, "processor_time", (int)run->processor_time, "rows", rows)
                         : NULL;
  json_decref(rows);
  return document;
}

/* One write for a line, so that two that append at once do not mix. */
static bool append_line(int file, const struct run_figures *run)
{
  json_t *document = run_document(run);
  char *text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
  size_t length = text ? strlen(text) : 0;
  bool good = text;
  if (good) {
    text[length] = '\n';
    errno = 0;
    good = write(file, text, length + 1) == (ssize_t)(length + 1);
  } else {
    errno = ENOMEM;
  }
  free(text);
  json_decref(document);
  return good;
}

bool runs_to_history(const char *path, const struct run_figures *list, size_t count, struct error *error)
{
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  bool good = file >= 0;
  for (size_t i = 0; good && i < count; i++)
    good = append_line(file, &list[i]);
  if (!good)
    error_set(error, "%s: cannot write: %s", path, errno ? strerror(errno) : "the device is full");
  if (file >= 0)
    close(file);
  return good;
}

static char *text_of(const struct json_file *file, const json_t *object, const char *key)
{
  const json_t *value = json_object_get(object, key);
  return value ? json_file_text(file, value) : strdup("");
}

static bool row_of(const struct json_file *file, const json_t *object, struct run_figures *run)
{
  const char *kind = json_string_value(json_object_get(object, "kind"));
  unsigned at = 0;
  uint64_t line = 0;
  while (kind && at < ROW_KINDS && strcmp(kind, run_row_kind_name((enum run_row_kind)at)) != 0)
    at++;
  if (!kind || at == ROW_KINDS)
    return json_file_damaged(file, "a row has no known kind");
  if (json_object_get(object, "line") &&
      !json_file_number(file, json_object_get(object, "line"), "the line of a row", UINT32_MAX, &line))
    return false;
  struct run_row row = {.kind = (enum run_row_kind)at, .line = (uint32_t)line};
  row.name = text_of(file, object, "name");
  row.function = row.name ? text_of(file, object, "function") : NULL;
  row.file = row.function ? text_of(file, object, "file") : NULL;
  row.text = row.file ? text_of(file, object, "text") : NULL;
  for (unsigned i = 0; i < RUN_FIGURES; i++) {
    const json_t *value = json_object_get(object, run_figure_key((enum run_figure)i));
    double number = json_is_number(value) ? json_number_value(value) : NAN;
    row.values[i] = number >= 0 && number < 1e30 && i != RUN_RELATIVE ? number : NAN;
  }
  if (row.text && vector_push(&run->rows, row))
    return true;
  bool no_memory = row.text;
  free(row.name);
  free(row.function);
  free(row.file);
  free(row.text);
  return no_memory ? json_file_no_memory(file) : false;
}

static bool run_of_document(const struct json_file *file, const json_t *document, struct run_figures *run)
{
  const json_t *rows = json_object_get(document, "rows");
  run->path = text_of(file, document, "path");
  run->program = text_of(file, document, "program");
  run->processor_time = json_is_true(json_object_get(document, "processor_time"));
  bool good = run->path && run->program &&
              json_file_number(file, json_object_get(document, "began"), "`began`", INT64_MAX, &run->began) &&
              json_file_number(file, json_object_get(document, "threads"), "`threads`", INT64_MAX, &run->threads);
  if (good && (!json_is_array(rows) || json_array_size(rows) > ROWS_MOST))
    good = json_file_damaged(file, "it has no rows, or too many");
  for (size_t i = 0; good && i < json_array_size(rows); i++)
    good = row_of(file, json_array_get(rows, i), run);
  if (good && (run->rows.count == 0 || run->rows.items[0].kind != ROW_RUN))
    good = json_file_damaged(file, "its first row is not the run");
  return good;
}

/* `line`: without its end. Empty lines are none. */
static bool run_of_line(const char *path, unsigned number, const char *line, size_t length, struct runs *runs,
                        struct error *error)
{
  char *place;
  if (length == 0)
    return true;
  if (asprintf(&place, "%s:%u", path, number) < 0)
    return error_set(error, "%s: out of memory", path);
  struct json_file file = {.path = place, .kind = "run", .made_by = MADE_BY, .error = error};
  struct run_figures run = {0};
  json_t *document = json_file_document(&file, line, length, HISTORY_VERSION);
  bool good = document && run_of_document(&file, document, &run);
  if (good && !vector_push(&runs->list, run))
    good = json_file_no_memory(&file);
  if (!good)
    run_figures_free(&run);
  json_decref(document);
  free(place);
  return good;
}

bool runs_of_history(const char *path, struct runs *runs, struct error *error)
{
  struct json_file file = {.path = path, .kind = "history of runs", .made_by = MADE_BY, .error = error};
  size_t size;
  char *bytes = json_file_bytes(&file, &size);
  bool good = bytes;
  unsigned number = 0;
  for (size_t begin = 0, end; good && begin < size; begin = end + 1) {
    const char *newline = memchr(bytes + begin, '\n', size - begin);
    end = newline ? (size_t)(newline - bytes) : size;
    good = run_of_line(path, ++number, bytes + begin, end - begin, runs, error);
  }
  free(bytes);
  return good;
}
