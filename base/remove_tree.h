/* Removes directories with what is in them. */
#ifndef HEDDLE_BASE_REMOVE_TREE_H
#define HEDDLE_BASE_REMOVE_TREE_H

#include <stdbool.h>

/*
 * Removes a name below a directory's descriptor: a file, or a directory with at most so many levels of directories in
 * it. No link is followed. False: errno says why something of it is left.
 */
bool remove_tree(int at, const char *name, unsigned depth);

#endif
