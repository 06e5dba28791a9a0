/* A directory for experiments below TMPDIR (/tmp): a copy of the working directory, and files beside it. */
#ifndef HEDDLE_ANALYZER_FINDINGS_TRY_SCRATCH_H
#define HEDDLE_ANALYZER_FINDINGS_TRY_SCRATCH_H

#include "base/error.h"

#include <limits.h>
#include <stdint.h>

#define SCRATCH_MOST (UINT64_C(1) << 30) /* bytes of a working directory that is copied */

struct scratch {
  char path[PATH_MAX / 2]; /* "": there is none */
  char work[PATH_MAX];     /* where programs run: the copy, or the working directory itself */
};

/*
 * Makes the directory, and the copy of the working directory unless in_place. Links that lead out of it lead to the
 * same files; sockets, devices and pipes are not copied. False: an error; scratch_remove() in any case.
 */
bool scratch_make(struct scratch *scratch, bool in_place, struct error *error);

/* Makes another copy, beside the first one; the caller frees its path. NULL: an error. */
char *scratch_copy(const struct scratch *scratch, const char *name, struct error *error);

void scratch_remove(struct scratch *scratch);

#endif
