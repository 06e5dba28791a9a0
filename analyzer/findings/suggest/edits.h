/*
 * Edits of a source for findings with one obvious change. An edit is offered only where the directive is wholly
 * understood and has no such clause. Whether the program still does the same is for its user to say.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_EDITS_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_EDITS_H

#include "analyzer/findings/suggest/code_text.h"

#include <stdint.h>

#define EDITS_MOST 2

/* Lines of a file that others take the place of. */
struct edit {
  size_t line, count; /* from 0 on */
  char *text;         /* the new lines; "": none */
};

struct change {
  unsigned count;                /* 0: there is none */
  struct edit edits[EDITS_MOST]; /* in order of lines */
  char title[96];                /* "schedule(dynamic,16)" */
};

/*
 * Adds a clause: schedule(...), nowait or num_tasks(...). line: from 1 on, as a compiler has it, of the directive, or
 * of the loop or block behind it. False: out of memory. A change, also an empty one, is freed with change_free().
 */
bool edit_add_clause(const struct code_text *source, uint32_t line, const char *clause, struct change *change);

/* The same at the one taskloop of a source without other tasks, as some runtimes do not report its line. */
bool edit_taskloop(const struct code_text *source, const char *clause, struct change *change);

/* In place of a critical section with one sum: a reduction at the loop or region around it. */
bool edit_make_reduction(const struct code_text *source, uint32_t line, struct change *change);

void change_free(struct change *change);

#endif
