/*
 * Paths of samples of a running process. Each stack of the kernel's log becomes a path of functions, once, with the
 * names of the later archive (samples.h).
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_PATHS_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_PATHS_H

#include "otf2-convert/samples/samples.h"

/* A function of a path. The name of outlined code may become known later. */
struct live_code {
  uint32_t name, file; /* numbers of texts; STRING_TABLE_NONE: no name */
  uint32_t module, construct;
  uint64_t begin;
  bool outlined;
  uint32_t named; /* number of a name and file in `names` */
};

struct live_paths {
  struct definitions *definitions; /* the caller's */
  struct samples samples;          /* without an archive: nodes alone */
  VECTOR(uint32_t) first;          /* by node: where its codes begin in `inlined`, up to the next one's */
  VECTOR(uint32_t) inlined;        /* numbers of codes; inlined functions follow their caller */
  VECTOR(struct live_code) codes;
  struct hash code_of;       /* mixed -> code */
  struct string_table texts; /* of codes */
  struct string_table names; /* name, newline, file; names of outlined code that change stay */
  VECTOR(size_t) seen;       /* by name: the last path that it was found on */
  size_t path;               /* number of the one at work */
};

void live_paths_begin(struct live_paths *paths, struct definitions *definitions);
void live_paths_free(struct live_paths *paths);
/* Sets new definitions, which have the modules of the former ones: the process file has grown. same: without lines
 * about modules. False: former look-ups of code may be wrong, so everything except the numbers of names begins again.
 */
bool live_paths_renew(struct live_paths *paths, struct definitions *definitions, bool same);

/* Finds the node of a sample; SAMPLES_NONE: unknown. False: out of memory. */
bool live_paths_find(struct live_paths *paths, const struct kernel_log *log, const struct sample *sample,
                     uint32_t *node);

/* Names outlined code by the known constructs. Sets *changed if a name changes. False: out of memory. */
bool live_paths_name(struct live_paths *paths, bool *changed);
/* Calls `each` once for each name on the path to a node; self: it ran. Visits at most *steps nodes, which it counts
 * down; beyond, only the node that ran. False: `each` returned false. */
bool live_paths_walk(struct live_paths *paths, uint32_t node, uint64_t *steps,
                     bool (*each)(void *context, uint32_t name, bool self), void *context);
/* Returns the number of a name that is not of code. STRING_TABLE_NONE: out of memory. */
uint32_t live_paths_other(struct live_paths *paths, const char *name);
/* Returns a name with its number of bytes; *file: its file. */
const char *live_paths_text(const struct live_paths *paths, uint32_t name, int *bytes, const char **file);

#endif
