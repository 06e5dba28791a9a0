/*
 * Figures of one run, in rows: the run, the causes of its account, constructs, locks, lines of tasks, pools and
 * functions. They come from an archive, a profile, or a line of a history file. A row knows its place in the source, so
 * that runs of edited sources can be compared (rows.h).
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_FIGURES_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_FIGURES_H

#include "base/error.h"
#include "base/pool.h"
#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Seconds, or numbers of things. Sums over all threads, but for WALL. */
enum run_figure {
  RUN_TIME,         /* own code; lock: waits; task line and pool: in tasks; cause: processors' time */
  RUN_WALL,         /* from begin to end; construct: of its executions */
  RUN_PATH,         /* on the critical path; it is shown, and not tested */
  RUN_RELATIVE,     /* TIME without what made the whole run slower or faster (rows.h); in no file */
  RUN_EXECUTIONS,   /* function: calls */
  RUN_CHUNKS,       /* of loops */
  RUN_ITERATIONS,   /* likewise */
  RUN_TASKS,        /* executed */
  RUN_ACQUISITIONS, /* of locks */
  RUN_CONTENDED,    /* ... that waited */
  RUN_INSTRUCTIONS, /* where they were counted */
  RUN_FIGURES
};

enum run_row_kind { ROW_RUN, ROW_CAUSE, ROW_CONSTRUCT, ROW_LOCK, ROW_TASK, ROW_POOL, ROW_FUNCTION, ROW_KINDS };

/* Texts belong to the row; "" or 0: unknown. */
struct run_row {
  enum run_row_kind kind;
  char *name; /* directive, cause, lock, pool or function, without its place */
  char *function, *file;
  char *text; /* the source line without blanks, if the file is older than the run */
  uint32_t line;
  double values[RUN_FIGURES]; /* NAN: none, or unknown */
};

struct run_figures {
  char *path;          /* as the user wrote it, also where a line of a history file has it */
  char *program;       /* of the first process */
  uint64_t began;      /* UNIX ns; 0: unknown */
  uint64_t threads;    /* of the program that were recorded */
  bool processor_time; /* RUN_TIME of the run and of constructs is time on processors; else also without one */
  VECTOR(struct run_row) rows;
};

/* "time", "wall", ...: for programs; and for people. */
const char *run_figure_key(enum run_figure figure);
const char *run_figure_title(const struct run_figures *run, const struct run_row *row, enum run_figure figure);
/* Figures in seconds, that vary from run to run. */
static inline bool run_figure_is_time(enum run_figure figure)
{
  return figure <= RUN_RELATIVE;
}
const char *run_row_kind_name(enum run_row_kind kind);

/* "!$omp for @file.c:42", as messages name a row; the caller frees it. NULL: no memory. */
char *run_row_label(const struct run_row *row);

/* Returns the row that has these, or a new one without values. Texts are copied; NULL is "". NULL: no memory. */
struct run_row *run_row_find(struct run_figures *run, enum run_row_kind kind, const char *name, const char *function,
                             const char *file, uint32_t line);
/* Adds to a value. */
void run_row_add(struct run_row *row, enum run_figure figure, double value);

void run_figures_free(struct run_figures *run);

struct runs {
  VECTOR(struct run_figures) list;
};
void runs_free(struct runs *runs);

/* Adds the run of an archive, trace or profile. False: an error. */
bool run_of_archive(const char *path, struct pool *pool, struct runs *runs, struct error *error);

/* Adds the runs of a history file, one a line. */
bool runs_of_history(const char *path, struct runs *runs, struct error *error);
/* Appends lines for runs; makes the file if there is none. */
bool runs_to_history(const char *path, const struct run_figures *list, size_t count, struct error *error);

/* Adds the runs of an operand: an archive, a directory of archives, or a history file. */
bool runs_of_operand(const char *path, struct pool *pool, struct runs *runs, struct error *error);
/* True if both are the same recording. */
bool run_is_same(const struct run_figures *one, const struct run_figures *other);
/* True if a run before is the same one. */
bool runs_is_known(const struct runs *runs, size_t at);
void runs_remove(struct runs *runs, size_t at);

#endif
