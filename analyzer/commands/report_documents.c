#include "analyzer/commands/report_documents.h"

#include <stdlib.h>
#include <string.h>

#define IMBALANCE_LIMIT ((size_t)4 << 20) /* bytes, with the tables of threads and waits */

enum document {
  DOCUMENT_INFO,
  DOCUMENT_STATES,
  DOCUMENT_CONSTRUCTS,
  DOCUMENT_IMBALANCE,
  DOCUMENT_LOCKS,
  DOCUMENT_SCHEDULE
};

static bool put(const struct analysis_run *run, const struct report_facts *facts, enum document document, bool details)
{
  switch (document) {
  case DOCUMENT_INFO:
    return info_put(run, &facts->census, &facts->skipped, &facts->overhead);
  case DOCUMENT_STATES:
  case DOCUMENT_CONSTRUCTS:
    return states_put(run, &facts->sums, document == DOCUMENT_CONSTRUCTS);
  case DOCUMENT_IMBALANCE:
    return imbalance_put(run, &facts->imbalance, &facts->skipped, details, details);
  case DOCUMENT_LOCKS:
    return locks_put(run, &facts->locks, 0);
  case DOCUMENT_SCHEDULE:
    return schedule_put(run, &facts->schedules);
  }
  return false;
}

/* The text, which the caller frees. NULL: no memory. */
static char *print_document(const struct report_facts *facts, enum document document, bool details, size_t *size)
{
  char *text = NULL;
  FILE *file = open_memstream(&text, size);
  if (!file)
    return NULL;
  struct analysis_run run = {.command = "report", .trace = facts->trace, .pool = facts->pool, .format = PRINT_JSON};
  run.print = print_open(PRINT_JSON, file, facts->trace->ticks_per_second);
  bool good = run.print && put(&run, facts, document, details);
  if (run.print && !print_close(run.print))
    good = false;
  if (fclose(file) == 0 && good)
    return text;
  free(text);
  return NULL;
}

static bool add(struct bundle_run *run, const struct report_facts *facts, const char *name, enum document document)
{
  bool details = document == DOCUMENT_IMBALANCE && facts->waits;
  size_t size;
  char *text = print_document(facts, document, details, &size);
  if (text && details && size > IMBALANCE_LIMIT) {
    free(text);
    details = false;
    text = print_document(facts, document, false, &size);
  }
  if (document == DOCUMENT_IMBALANCE && !details &&
      !bundle_note(run, "Who waited for whom, and each thread's part in each construct, are left out, for they are too "
                        "many: `heddle imbalance --threads --waits` shows them."))
    return false;
  return text && bundle_document(run, name, text);
}

bool report_documents_add(struct bundle_run *run, const struct report_facts *facts, struct trace_error *error)
{
  static const struct {
    const char *name;
    enum document document;
  } documents[] = {{"info", DOCUMENT_INFO},           {"states", DOCUMENT_STATES}, {"constructs", DOCUMENT_CONSTRUCTS},
                   {"imbalance", DOCUMENT_IMBALANCE}, {"locks", DOCUMENT_LOCKS},   {"schedule", DOCUMENT_SCHEDULE}};
  for (size_t i = 0; i < sizeof documents / sizeof *documents; i++)
    if (!add(run, facts, documents[i].name, documents[i].document))
      return trace_fail(error, "out of memory");
  return true;
}
