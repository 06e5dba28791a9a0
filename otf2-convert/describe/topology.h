/* Topology of the machine of a process: host, packages, NUMA nodes, cores. */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>

enum topology_kind { TOPOLOGY_MACHINE, TOPOLOGY_PACKAGE, TOPOLOGY_NUMA, TOPOLOGY_CORE };

struct topology_node {
  enum topology_kind kind;
  unsigned number; /* the operating system's */
  size_t parent;   /* its own index: none */
};

/* Parents come before children. */
struct topology {
  VECTOR(struct topology_node) nodes; /* the first is the machine */
};

/*
 * Reads hwloc's topology.xml from the first directory with a valid file for `host`. If there is none and this_machine
 * is set, asks hwloc for this machine. Else the machine is the only node. Damaged files are reported as notes. False:
 * out of memory.
 */
bool topology_read(struct topology *topology, const int *directories, size_t count, const char *host,
                   bool this_machine);
void topology_free(struct topology *topology);

/*
 * Reader of hwloc's XML. hwloc's own reader trusts its input: a damaged file makes it crash or loop. The converter only
 * needs the objects and their nesting.
 */
enum topology_xml {
  TOPOLOGY_XML_READ,
  TOPOLOGY_XML_NONE, /* there is nothing to read */
  TOPOLOGY_XML_OTHER_HOST,
  TOPOLOGY_XML_DAMAGED,
  TOPOLOGY_XML_NO_MEMORY
};

/* Adds the contents of the machine, which is the only node so far, and stays the only one on failure. host: the file
 * must name it; NULL: any. */
enum topology_xml topology_xml_read(struct topology *topology, const char *xml, size_t size, const char *host);

#endif
