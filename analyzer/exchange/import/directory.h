/* Private to import/. Output directory, and the directory inside it in which the archive is made. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_IMPORT_DIRECTORY_H
#define HEDDLE_ANALYZER_EXCHANGE_IMPORT_DIRECTORY_H

#include "base/error.h"

struct import_directory {
  const char *path; /* the caller's; it outlives this */
  int at, inside;   /* open descriptors of both */
  char name[32];    /* of the one inside */
  char *part;       /* the path of the one inside, for the library */
  bool made;        /* `path` did not exist before */
};

/* Makes both. False: an error, such as an existing archive. */
bool import_directory_make(struct import_directory *directory, const char *path, struct error *error);

/* Moves the archive to its place if `good`, and removes the rest. False: an error, or not `good`. */
bool import_directory_end(struct import_directory *directory, bool good, struct error *error);

#endif
