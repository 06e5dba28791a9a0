#include "analyzer/report/bundle.h"

#include <stdarg.h>
#include <string.h>

bool bundle_document(struct bundle_run *run, const char *name, char *json)
{
  struct bundle_document document = {name, json};
  if (vector_push(&run->documents, document))
    return true;
  free(json);
  return false;
}

bool bundle_finding(struct bundle_run *run, const struct bundle_finding *finding)
{
  if (vector_push(&run->findings, *finding))
    return true;
  free(finding->text);
  return false;
}

bool bundle_note(struct bundle_run *run, const char *format, ...)
{
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0)
    return false;
  if (vector_push(&run->notes, text))
    return true;
  free(text);
  return false;
}

bool bundle_log(struct bundle_run *run, const char *what, const char *text)
{
  struct bundle_log entry = {what, strdup(text)};
  if (entry.text && vector_push(&run->log, entry))
    return true;
  free(entry.text);
  return false;
}

void bundle_run_free(struct bundle_run *run)
{
  for (size_t i = 0; i < run->documents.count; i++)
    free(run->documents.items[i].json);
  for (size_t i = 0; i < run->findings.count; i++)
    free(run->findings.items[i].text);
  for (size_t i = 0; i < run->notes.count; i++)
    free(run->notes.items[i]);
  for (size_t i = 0; i < run->log.count; i++)
    free(run->log.items[i].text);
  vector_free(&run->documents);
  vector_free(&run->findings);
  vector_free(&run->notes);
  vector_free(&run->log);
  *run = (struct bundle_run){0};
}
