/*
 * Files of modules (executables, libraries) that are not where they were: a program ran in a container, or on another
 * machine. A file is the recorded one if it has the same build id.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_MODULE_SEARCH_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_MODULE_SEARCH_H

#include "otf2-convert/symbols/symbols.h"

#define MODULE_ROOTS_MOST 16

/*
 * Opens a module: below each root, then at its own path. Then it looks for debug information with the build id, in the
 * system's directories and in debuginfod's cache. A root is a directory, or OLD=NEW for a directory with another name.
 * roots: MODULE_ROOTS_MOST, NULL behind the last one. NULL: not found.
 */
struct symbols *module_search(const char *const *roots, const char *path, const char *build_id);

#endif
