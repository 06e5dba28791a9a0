/*
 * The page of `heddle report --pes`: sequences.html, which the build makes from page/, with the bundle in it, JSON
 * that README.md describes.
 */
#ifndef HEDDLE_ANALYZER_REPORT_SEQUENCES_PAGE_H
#define HEDDLE_ANALYZER_REPORT_SEQUENCES_PAGE_H

#include "analyzer/command/print/json_writer.h"
#include "base/error.h"

/* Puts the value of the bundle. False: an error. */
typedef bool sequences_put(struct json_writer *json, const void *context, struct error *error);

/* Writes page and bundle; the bundle is compressed in memory. The file's owner checks for write errors. False: an
 * error. */
bool sequences_page_write(FILE *file, sequences_put *put, const void *context, struct error *error);

#endif
