/* Output of `heddle compare`. All of it goes to stdout; a table has what changed, for programs everything. */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_SHOW_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_SHOW_H

#include "analyzer/command/print/print.h"
#include "analyzer/findings/compare/changes.h"
#include "analyzer/findings/compare/compare.h"

/* `top`: rows at most. False: out of memory, or an error of writing, with a message. */
bool compare_show(const struct comparison *comparison, enum print_format format, uint64_t top);
bool changes_show(const struct changes *changes, enum print_format format, uint64_t top);

/* JUnit's XML: a test case for each figure that was tested, failed if it is worse. False: out of memory. */
bool compare_show_junit(const struct comparison *comparison, FILE *file);
/* What is slower, as SARIF: an error if it is worse, else a warning. False: likewise. */
bool compare_show_sarif(const struct comparison *comparison, FILE *file);

#endif
