/*
 * The functions of samples of a running process: each stack of the kernel's log becomes a way through functions, once,
 * with the names that the archive will have (samples.h).
 *
 * One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_LIVE_LIVE_PATHS_H
#define HEDDLE_OTF2_CONVERT_LIVE_LIVE_PATHS_H

#include "otf2-convert/samples/samples.h"

/* A function as it was found; of outlined code the name may be known later. */
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
  VECTOR(uint32_t) inlined;        /* numbers of codes, those that were inlined behind where they are */
  VECTOR(struct live_code) codes;
  struct hash code_of;       /* mixed -> code */
  struct string_table texts; /* of codes */
  struct string_table names; /* name, newline, file; names of outlined code that change stay */
  VECTOR(size_t) seen;       /* by name: the last path that it was found on */
  size_t path;               /* number of the one at work */
};

void live_paths_begin(struct live_paths *paths, struct definitions *definitions);
void live_paths_free(struct live_paths *paths);
/* The process file has grown, and the definitions are others that were given the modules of those before. same: it
 * tells nothing more of modules. False: code that was looked up may be other code than it seemed, so all begins anew
 * but the numbers of names. */
bool live_paths_renew(struct live_paths *paths, struct definitions *definitions, bool same);

/* The node of a sample. False: memory is short. SAMPLES_NONE: its place is not known. */
bool live_paths_find(struct live_paths *paths, const struct kernel_log *log, const struct sample *sample,
                     uint32_t *node);

/* Gives outlined code the names of the constructs that are known now. *changed: is set if some name is another one.
 * False: memory is short. */
bool live_paths_name(struct live_paths *paths, bool *changed);
/* Calls `each` with each name on the way to a node, once: `self` for the one that ran. Of at most *steps places, which
 * it counts down; beyond, of the one that ran alone. False: `each` said so. */
bool live_paths_walk(struct live_paths *paths, uint32_t node, uint64_t *steps,
                     bool (*each)(void *context, uint32_t name, bool self), void *context);
/* A name apart from others: not of code. STRING_TABLE_NONE: memory is short. */
uint32_t live_paths_other(struct live_paths *paths, const char *name);
/* The name, of so many bytes, and the file behind it. */
const char *live_paths_text(const struct live_paths *paths, uint32_t name, int *bytes, const char **file);

#endif
