/*
 * Search for the code of source places, before a program runs: for `heddle record --keep`, because the recorder knows
 * only addresses (common/budget/keep.h).
 *
 * A place is FILE:LINE, FILE:LINE-LINE, FILE or a function. FILE is a path or its end. The result is return addresses
 * that an archive would show with this file and line, or in this function. A critical section, `critical (NAME)`, is
 * found by the compiler's variable.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_PLACE_SEARCH_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_PLACE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Prints a line for each range of addresses in the modules (absolute paths; unreadable ones have none): number of the
 * place, space, MODULE+FROM-TO. False: out of memory.
 */
bool place_search(char **modules, size_t module_count, char **places, size_t place_count, FILE *out);

/*
 * The same for functions. A pattern is a name, which may have the wildcards of file names (solve*), or @FILE. The
 * ranges have the entries of the functions.
 */
bool function_search(char **modules, size_t module_count, char **patterns, size_t pattern_count, FILE *out);

#endif
