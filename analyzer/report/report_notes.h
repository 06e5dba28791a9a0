/* The notes of a report: what was lost, derived or omitted. */
#ifndef HEDDLE_ANALYZER_REPORT_REPORT_NOTES_H
#define HEDDLE_ANALYZER_REPORT_REPORT_NOTES_H

#include "analyzer/report/bundle.h"
#include "analyzer/report/report_facts.h"

/* Adds the notes to the run, which must already have its timeline. False: an error. */
bool report_notes_add(struct bundle_run *run, const struct report_facts *facts, struct error *error);

#endif
