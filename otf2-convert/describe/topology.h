/* The machine that a process ran on. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_H

#include "otf2-convert/describe/topology_nodes.h"

#include <stdbool.h>

/*
 * Reads topology.xml (hwloc's) in one of the directories, tried in turn: the first that is sound and names `host`.
 * Else, if this_machine, asks hwloc for this machine. Without an answer the machine is the only node. Notes damaged
 * files. False: out of memory.
 */
bool topology_read(struct topology *topology, const int *directories, size_t count, const char *host,
                   bool this_machine);
void topology_free(struct topology *topology);

#endif
