/*
 * Reads the XML that hwloc writes of a machine. hwloc's own reader trusts its input (a damaged file makes it crash, or
 * never end), and little of it is needed here: which objects there are, and which is inside of which.
 */
#ifndef HEDDLE_OTF2_CONVERT_TOPOLOGY_XML_H
#define HEDDLE_OTF2_CONVERT_TOPOLOGY_XML_H

#include "otf2-convert/topology_nodes.h"

enum topology_xml {
  TOPOLOGY_XML_READ,
  TOPOLOGY_XML_NONE, /* there is nothing to read */
  TOPOLOGY_XML_OTHER_HOST,
  TOPOLOGY_XML_DAMAGED,
  TOPOLOGY_XML_NO_MEMORY
};

/*
 * Adds what is inside of the machine, which is the only node of the topology so far and stays it on failure. host:
 * whose topology it must be; NULL: any.
 */
enum topology_xml topology_xml_read(struct topology *topology, const char *xml, size_t size, const char *host);

#endif
