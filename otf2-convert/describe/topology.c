#include "otf2-convert/describe/topology.h"

#include "otf2-convert/describe/topology_xml.h"
#include "otf2-convert/messages.h"

#include <fcntl.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XML_MAX (64 << 20)

/* The file's text; NULL when there is none. */
static char *read_xml(int directory, size_t *size)
{
  struct stat status;
  int fd = openat(directory, "topology.xml", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  char *text = NULL;
  *size = 0;
  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size < XML_MAX &&
      (text = malloc((size_t)status.st_size)) != NULL) {
    ssize_t n;
    while (*size < (size_t)status.st_size && (n = read(fd, text + *size, (size_t)status.st_size - *size)) > 0)
      *size += (size_t)n;
  }
  close(fd);
  return text;
}

/* Takes the topology of a file that is about the host. */
static enum topology_xml read_file(struct topology *topology, int directory, const char *host)
{
  size_t size;
  char *xml = read_xml(directory, &size);
  if (xml == NULL)
    return TOPOLOGY_XML_NONE;
  enum topology_xml result = topology_xml_read(topology, xml, size, host);
  free(xml);
  if (result == TOPOLOGY_XML_DAMAGED)
    message_note("topology.xml is damaged, or not from hwloc: ignored");
  return result;
}

/* Asks hwloc for this machine, in the form that its files have. */
static enum topology_xml read_this_machine(struct topology *topology)
{
  hwloc_topology_t machine;
  enum topology_xml result = TOPOLOGY_XML_NONE;
  char *xml;
  int size;
  if (hwloc_topology_init(&machine) != 0)
    return result;
  if (hwloc_topology_load(machine) == 0 && hwloc_topology_export_xmlbuffer(machine, &xml, &size, 0) == 0) {
    result = topology_xml_read(topology, xml, size > 0 ? strnlen(xml, (size_t)size) : 0, NULL);
    hwloc_free_xmlbuffer(machine, xml);
  }
  hwloc_topology_destroy(machine);
  return result;
}

bool topology_read(struct topology *topology, const int *directories, size_t count, const char *host, bool this_machine)
{
  const struct topology_node machine = {.kind = TOPOLOGY_MACHINE};
  enum topology_xml result = TOPOLOGY_XML_NONE;
  *topology = (struct topology){0};
  if (!vector_push(&topology->nodes, machine))
    return false;
  for (size_t i = 0; i < count && result != TOPOLOGY_XML_READ && result != TOPOLOGY_XML_NO_MEMORY; i++)
    result = read_file(topology, directories[i], host);
  if (this_machine && result != TOPOLOGY_XML_READ && result != TOPOLOGY_XML_NO_MEMORY)
    result = read_this_machine(topology);
  return result != TOPOLOGY_XML_NO_MEMORY;
}

void topology_free(struct topology *topology)
{
  vector_free(&topology->nodes);
}
