/*
 * Reads the XML that hwloc writes of a machine. hwloc's own reader trusts its input (a damaged file makes it crash, or
 * never end), and the converter needs little of it: which objects there are, and which is inside which.
 */
#ifndef HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_XML_H
#define HEDDLE_OTF2_CONVERT_DESCRIBE_TOPOLOGY_XML_H

#include "otf2-convert/describe/topology_nodes.h"

enum topology_xml {
  TOPOLOGY_XML_READ,
  TOPOLOGY_XML_NONE, /* there is nothing to read */
  TOPOLOGY_XML_OTHER_HOST,
  TOPOLOGY_XML_DAMAGED,
  TOPOLOGY_XML_NO_MEMORY
};

/*
 * Adds the contents of the machine, which is the only node of the topology so far, and remains the only one on failure.
 * host: whose topology it must be; NULL: any.
 */
enum topology_xml topology_xml_read(struct topology *topology, const char *xml, size_t size, const char *host);

#endif
