/* A machine as a list of nodes in which parents come before children: host, packages, NUMA nodes, cores. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_NODES_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_NODES_H

#include "base/vector.h"

#include <stddef.h>

enum topology_kind { TOPOLOGY_MACHINE, TOPOLOGY_PACKAGE, TOPOLOGY_NUMA, TOPOLOGY_CORE };

struct topology_node {
  enum topology_kind kind;
  unsigned number; /* the operating system's */
  size_t parent;   /* its own index: none */
};

struct topology {
  VECTOR(struct topology_node) nodes; /* the first is the machine */
};

#endif
