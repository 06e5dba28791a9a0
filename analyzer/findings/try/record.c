/* What was predicted and what was measured, a line of JSON an experiment: a file that grows. */
#include "analyzer/findings/try/try.h"

#include "analyzer/models/json_file/json_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static json_t *known_number(double number)
{
  return isfinite(number) ? json_real(number) : json_null();
}

static json_t *line_of(const struct experiment *experiment, const char *program)
{
  const struct evidence_place *place = experiment->place;
  return json_pack("{s:s,s:I,s:o,s:s,s:s,s:o,s:I,s:s,s:o,s:o,s:o,s:o,s:I}", "format", "heddle try", "time",
                   (json_int_t)time(NULL), "program", json_file_from_text(program), "change", experiment->name, "kind",
                   account_kind_name(experiment->kind), "file", json_file_from_text(place->file ? place->file : ""),
                   "line", (json_int_t)place->line, "outcome", experiment_outcome_name(experiment->outcome),
                   "predicted_percent", known_number(experiment->predicted), "gain_percent",
                   known_number(experiment->test.gain), "low", known_number(experiment->test.low), "high",
                   known_number(experiment->test.high), "pairs", (json_int_t)experiment->pairs);
}

bool try_record(const char *path, const struct try_result *result, char *const *arguments, struct error *error)
{
  int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0)
    return error_set(error, "%s: cannot write: %s", path, strerror(errno));
  bool good = true;
  for (unsigned i = 0; good && i < result->tried; i++) {
    const struct experiment *experiment = &result->experiments.list.items[i];
    if (experiment->test.look == 0)
      continue;
    json_t *line = line_of(experiment, arguments[0]);
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    size_t length = text ? strlen(text) : 0;
    errno = ENOMEM;
    if (text)
      text[length] = '\n'; /* one write for a line, so that two that append at once do not mix */
    good = text && write(file, text, length + 1) == (ssize_t)(length + 1);
    free(text);
    json_decref(line);
  }
  if (!good)
    error_set(error, "%s: cannot write: %s", path, strerror(errno));
  close(file);
  return good;
}
