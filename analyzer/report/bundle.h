/*
 * The bundle: all that the page shows, as JSON (analyzer/report/README.md describes it), and the file that holds page
 * and bundle.
 */
#ifndef HEDDLE_ANALYZER_REPORT_BUNDLE_H
#define HEDDLE_ANALYZER_REPORT_BUNDLE_H

#include "analyzer/print/json_writer.h"
#include "analyzer/report/bundle_shape.h"
#include "analyzer/report/timeline.h"
#include "base/vector.h"

#define BUNDLE_RUNS       2                        /* at most: two are compared */
#define BUNDLE_FILE_LIMIT (UINT64_C(25) * 1000000) /* bytes of a report */

/* What a command prints with --json. */
struct bundle_document {
  const char *name;
  char *json; /* NULL: there is none */
};

/* Something to look at. */
struct bundle_finding {
  const char *kind; /* "imbalance", "lock", ... */
  char *text;       /* a sentence */
  uint64_t ticks;   /* that it costs, of elapsed or thread time, as the sentence says */
  const char *page; /* where the page has more */
  uint32_t region;  /* TRACE_NONE: it is not about a construct */
  uint32_t lane;    /* location where it can be seen, from begin to end; TRACE_NONE: none */
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
 * Each adds one to the run. The document's and finding's text becomes the run's, also if there is no memory; notes and
 * logs are copied. False: no memory.
 */
bool bundle_document(struct bundle_run *run, const char *name, char *json);
bool bundle_finding(struct bundle_run *run, const struct bundle_finding *finding);
__attribute__((format(printf, 2, 3))) bool bundle_note(struct bundle_run *run, const char *format, ...);
bool bundle_log(struct bundle_run *run, const char *what, const char *text);

/* Frees what a run points to, but the timeline. */
void bundle_run_free(struct bundle_run *run);

/* Writes the bundle. Offsets of blocks are those of the order in which the blocks of that shape are listed; with `view`
 * there are none. */
void bundle_put(struct json_writer *json, const struct bundle_run *runs, size_t run_count,
                const struct bundle_shape *shape);

/*
 * Writes page, bundle and lanes. The finest levels of the lanes, and if need be the lanes of nested regions, are left
 * out as long as the file would be larger than `limit` bytes; the bundle's notes say so. False: an error.
 */
bool bundle_write_file(FILE *file, const struct bundle_run *runs, size_t run_count, uint64_t limit,
                       struct error *error);

/* The page with a bundle for `heddle view`: *html is the caller's, *size its bytes. False: no memory. */
bool bundle_write_view(char **html, size_t *size, const struct bundle_run *runs, size_t run_count);

#endif
