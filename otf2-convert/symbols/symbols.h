/*
 * Source lines and function names of addresses in a module (an executable or a shared library), from its DWARF and
 * symbol table, or from separate debug files found by build id or debug link. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_SYMBOLS_H

#include "otf2-convert/samples/unwind.h"
#include "otf2-convert/symbols/source_place.h"

#include <stddef.h>

struct symbols;

/*
 * Opens a module; NULL when it cannot be read, or is not the file that was recorded (the build id differs; "-": none is
 * known).
 */
struct symbols *symbols_open(const char *path, const char *build_id);
void symbols_close(struct symbols *symbols);

/* The place of the call whose return address is at `offset` in the module's own addresses. */
struct source_place symbols_find(struct symbols *symbols, uint64_t offset);

/* Code that runs, or that called. */
struct code_function {
  const char *name; /* as in the source, C++ with its namespaces and classes; NULL: unknown */
  const char *file; /* full path; "": unknown */
  uint32_t line;    /* that runs; 0: unknown */
  uint32_t
      construct;  /* of a function that a compiler took out of another one for a construct, its first line; else 0 */
  uint64_t begin; /* the function's first address in the module; 0: unknown */
  bool outlined;  /* whether it is such a one */
};
#define CODE_FUNCTIONS_MOST 17u

/* The functions of a place as symbols_find has it, for code that need not be a construct's: the one that was compiled
 * comes first, each further one was inlined into the one before it. At least one, at most CODE_FUNCTIONS_MOST. */
unsigned symbols_code(struct symbols *symbols, uint64_t offset, struct code_function *functions);

/* How callers are found; NULL: memory is short. */
struct frame_rules *symbols_frames(struct symbols *symbols);

/* The name of the global or static variable at an address of the module's own, with the part of it that is there:
 * `queue.lock`, `forks[2]`. False: none is known. */
bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size);
/* The variable at `offset`, and how many bytes behind its begin; NULL: none. Valid as long as the symbols. */
const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into);

#endif
