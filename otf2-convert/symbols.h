/*
 * Source lines and function names of addresses in a module (an executable or a shared library), from its DWARF and
 * symbol table, or from separate debug files found by build id or debug link. One thread at a time.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_H

#include "otf2-convert/source_place.h"

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

/* The function that such a place is in, and the line of the call, as they are: code that is no construct's. */
struct source_place symbols_code(struct symbols *symbols, uint64_t offset);

/* The name of the global or static variable at an address of the module's own, with the part of it that is there:
 * `queue.lock`, `forks[2]`. False: none is known. */
bool symbols_variable(struct symbols *symbols, uint64_t address, char *name, size_t size);
/* The variable at `offset`, and how many bytes behind its begin; NULL: none. Valid as long as the symbols. */
const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into);

#endif
