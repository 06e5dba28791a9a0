/*
 * The machine a process ran on, as a list of nodes in which parents come before children: host, packages, NUMA nodes,
 * cores.
 */
#ifndef HEDDLE_OTF2_CONVERT_TOPOLOGY_H
#define HEDDLE_OTF2_CONVERT_TOPOLOGY_H

#include "base/vector.h"

#include <stdint.h>

enum topology_kind { TOPOLOGY_MACHINE, TOPOLOGY_PACKAGE, TOPOLOGY_NUMA, TOPOLOGY_CORE };

struct topology_node {
  enum topology_kind kind;
  unsigned number; /* the operating system's */
  size_t parent;   /* its own index: none */
};

struct topology {
  VECTOR(struct topology_node) nodes; /* the first is the machine */
};

/*
 * Reads topology.xml (hwloc's) in one of the directories, tried in turn: the first that is sound and names `host`.
 * Else, if this_machine, asks hwloc for this one. Without an answer the machine stands alone. Says when a file is
 * damaged. False when memory is short.
 */
bool topology_read(struct topology *topology, const int *directories, size_t count, const char *host,
                   bool this_machine);
void topology_free(struct topology *topology);

#endif
