/* Edits of directives in Fortran, in free form. */
#ifndef HEDDLE_ANALYZER_FINDINGS_SUGGEST_FORTRAN_H
#define HEDDLE_ANALYZER_FINDINGS_SUGGEST_FORTRAN_H

#include "analyzer/findings/suggest/edits.h"

/* By the file's name. */
bool fortran_is_source(const char *path);

/* As edit_add_clause(). nowait stands at the end directive of a single. */
bool fortran_add_clause(const struct code_text *source, uint32_t line, const char *clause, struct change *change);

#endif
