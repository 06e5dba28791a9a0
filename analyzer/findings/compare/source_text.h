/* The text of a row's source line, by which a construct is known again after the source was edited. */
#ifndef HEDDLE_ANALYZER_FINDINGS_COMPARE_SOURCE_TEXT_H
#define HEDDLE_ANALYZER_FINDINGS_COMPARE_SOURCE_TEXT_H

#include "analyzer/findings/compare/figures.h"

/*
 * Fills in the texts of rows whose file can be read. The file must be older than the run: a newer one is another
 * source. Blanks are taken out. False: out of memory.
 */
bool source_texts(struct run_figures *run);

#endif
