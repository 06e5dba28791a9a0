/*
 * Results in SARIF 2.1.0 (OASIS), which forges and editors show at the lines of a source. Files below the working
 * directory get a path relative to it (the base %SRCROOT%), others a file: URI.
 */
#ifndef HEDDLE_ANALYZER_FINDINGS_SARIF_H
#define HEDDLE_ANALYZER_FINDINGS_SARIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Texts are the caller's. */
struct sarif_result {
  const char *rule;    /* a kind of result: "imbalance" */
  const char *level;   /* "error", "warning" or "note" */
  const char *message; /* one line; escaped when it is written */
  const char *file;    /* "": no place */
  uint32_t line;       /* 0: unknown */
};

/* Writes a whole document. False: no memory. The caller checks the file for errors of writing. */
bool sarif_write(FILE *file, const struct sarif_result *results, size_t count);

#endif
