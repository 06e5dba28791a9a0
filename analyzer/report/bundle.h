/*
 * The bundle: all contents of the page, as JSON (analyzer/report/README.md describes it), and the file that holds page
 * and bundle.
 */
#ifndef HEDDLE_ANALYZER_REPORT_BUNDLE_H
#define HEDDLE_ANALYZER_REPORT_BUNDLE_H

#include "analyzer/command/print/json_writer.h"
#include "analyzer/report/timeline.h"
#include "analyzer/report/timeline_json.h"
#include "base/vector.h"

#define BUNDLE_RUNS       8                       /* at most */
#define BUNDLE_FILE_LIMIT (UINT64_C(8) * 1000000) /* bytes of a report */

/* The output of a command with --json. */
struct bundle_document {
  const char *name;
  char *json; /* NULL: none */
};

/* An entry of "What to look at first". */
struct bundle_finding {
  const char *kind; /* "imbalance", "lock", ... */
  char *text;       /* a sentence */
  uint64_t ticks;   /* its cost, in elapsed or thread time, as the sentence says */
  const char *page; /* the page with the details */
  uint32_t region;  /* TRACE_NONE: no construct */
  uint32_t lane;    /* a location that shows it from begin to end; TRACE_NONE: none */
  uint64_t begin, end;
};

struct bundle_log {
  const char *what;
  char *text;
};

struct bundle_run {
  const char *title;
  VECTOR(struct bundle_document) documents;
  VECTOR(struct bundle_finding) findings; /* in the order in which to look at them */
  VECTOR(char *) notes;                   /* what was lost, derived or summarized: a sentence each */
  VECTOR(struct bundle_log) log;          /* how the report was made */
  const struct timeline *timeline;
};

/*
 * Each adds one entry to the run. The run owns the text of documents and findings, also after a failure, and copies
 * notes and logs. False: out of memory.
 */
bool bundle_document(struct bundle_run *run, const char *name, char *json);
bool bundle_finding(struct bundle_run *run, const struct bundle_finding *finding);
__attribute__((format(printf, 2, 3))) bool bundle_note(struct bundle_run *run, const char *format, ...);
bool bundle_log(struct bundle_run *run, const char *what, const char *text);

/* Frees all parts of a run but the timeline. */
void bundle_run_free(struct bundle_run *run);

/* Writes the bundle. Blocks have offsets in the order of their list; with `view` there are no blocks. */
void bundle_put(struct json_writer *json, const struct bundle_run *runs, size_t run_count,
                const struct bundle_shape *shape);

/*
 * Writes page, bundle and lanes. If the file would be larger than `limit` bytes, it omits the finest levels of the
 * lanes, then lanes of nested regions. The bundle's notes say so. False: an error.
 */
bool bundle_write_file(FILE *file, const struct bundle_run *runs, size_t run_count, uint64_t limit,
                       struct error *error);

/* The page with a bundle for `heddle view`. The caller frees *html, of *size bytes. False: out of memory. */
bool bundle_write_view(char **html, size_t *size, const struct bundle_run *runs, size_t run_count);

#endif
