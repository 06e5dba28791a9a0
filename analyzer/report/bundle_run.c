#include "analyzer/report/bundle.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more element. NULL: no memory; the list is what it was. */
static void *grow(void *list, size_t count, size_t size)
{
  bool full = (count & (count - 1)) == 0; /* capacities are powers of two */
  return full ? reallocarray(list, count ? 2 * count : 1, size) : list;
}

bool bundle_document(struct bundle_run *run, const char *name, char *json)
{
  struct bundle_document *list = grow(run->documents, run->document_count, sizeof *list);
  if (!list) {
    free(json);
    return false;
  }
  run->documents = list;
  list[run->document_count++] = (struct bundle_document){name, json};
  return true;
}

bool bundle_finding(struct bundle_run *run, const struct bundle_finding *finding)
{
  struct bundle_finding *list = grow(run->findings, run->finding_count, sizeof *list);
  if (!list) {
    free(finding->text);
    return false;
  }
  run->findings = list;
  list[run->finding_count++] = *finding;
  return true;
}

bool bundle_note(struct bundle_run *run, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  char **list = length < 0 ? NULL : grow(run->notes, run->note_count, sizeof *list);
  if (!list) {
    if (length >= 0)
      free(text);
    return false;
  }
  run->notes = list;
  list[run->note_count++] = text;
  return true;
}

bool bundle_log(struct bundle_run *run, const char *what, const char *text)
{
  struct bundle_log *list = grow(run->log, run->log_count, sizeof *list);
  if (!list)
    return false;
  run->log = list;
  list[run->log_count] = (struct bundle_log){what, strdup(text)};
  return list[run->log_count++].text != NULL;
}

void bundle_run_free(struct bundle_run *run)
{
  for (size_t i = 0; i < run->document_count; i++)
    free(run->documents[i].json);
  for (size_t i = 0; i < run->finding_count; i++)
    free(run->findings[i].text);
  for (size_t i = 0; i < run->note_count; i++)
    free(run->notes[i]);
  for (size_t i = 0; i < run->log_count; i++)
    free(run->log[i].text);
  free(run->documents);
  free(run->findings);
  free(run->notes);
  free(run->log);
  *run = (struct bundle_run){0};
}
