/*
 * Where the code of source places is, before a program runs: for `heddle record --keep`. The recorder knows addresses
 * alone (common/budget/keep.h).
 *
 * A place is FILE:LINE, FILE:LINE-LINE, FILE or a function. FILE is a path or its end. What is found are return
 * addresses: those that an archive would show with this file and line, or in this function. A critical section,
 * `critical (NAME)`, is found by the variable that compilers make of it.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_PLACE_SEARCH_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_PLACE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Prints a line for each range in the modules (absolute paths; those that can't be read have none): number of
 * the place, space, MODULE+FROM-TO. False: out of memory.
 */
bool place_search(char **modules, size_t module_count, char **places, size_t place_count, FILE *out);

/*
 * The same of functions: those of a name, which may have the wildcards of file names (solve*), and with @ before it
 * those of a file. The ranges have the functions' entries.
 */
bool function_search(char **modules, size_t module_count, char **patterns, size_t pattern_count, FILE *out);

#endif
