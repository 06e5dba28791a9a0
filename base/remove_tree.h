/* Removal of directories with their contents. */
#ifndef HEDDLE_BASE_REMOVE_TREE_H
#define HEDDLE_BASE_REMOVE_TREE_H

#include <stdbool.h>

/*
 * Removes a name in the directory `at`: a file, or a directory with at most `depth` levels of directories in it.
 * Follows no link. False: something is left; errno says why.
 */
bool remove_tree(int at, const char *name, unsigned depth);

#endif
