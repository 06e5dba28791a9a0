#include "otf2-convert/topology.h"

#include <fcntl.h>
#include <hwloc.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define XML_MAX   (64 << 20)
#define NODES_MAX 65536u

/* The file's text; NULL when there is none. */
static char *read_xml(int directory, int *size)
{
  struct stat status;
  int fd = openat(directory, "topology.xml", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  char *text = NULL;
  *size = 0;
  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0 && status.st_size < XML_MAX &&
      (text = malloc((size_t)status.st_size + 1)) != NULL) {
    ssize_t n;
    while (*size < status.st_size && (n = read(fd, text + *size, (size_t)(status.st_size - *size))) > 0)
      *size += (int)n;
    text[(*size)++] = 0; /* hwloc wants the zero counted */
  }
  close(fd);
  return text;
}

static bool load_from(hwloc_topology_t *topology, const char *xml, int size)
{
  if (hwloc_topology_init(topology) != 0)
    return false;
  hwloc_topology_set_all_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_io_types_filter(*topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  if ((xml == NULL || hwloc_topology_set_xmlbuffer(*topology, xml, size) == 0) && hwloc_topology_load(*topology) == 0)
    return true;
  hwloc_topology_destroy(*topology);
  return false;
}

static bool load(hwloc_topology_t *topology, const int *directories, size_t count, bool this_machine)
{
  for (size_t i = 0; i < count; i++) {
    int size;
    char *xml = read_xml(directories[i], &size);
    bool good = xml != NULL && load_from(topology, xml, size);
    free(xml);
    if (good)
      return true;
  }
  return this_machine && load_from(topology, NULL, 0);
}

static bool add(struct topology *topology, enum topology_kind kind, unsigned number, size_t parent, size_t *index)
{
  struct topology_node node = {.kind = kind, .number = number, .parent = parent};
  if (topology->nodes.count >= NODES_MAX)
    return true;
  *index = topology->nodes.count;
  return vector_push(&topology->nodes, node);
}

/* Adds what is of interest below an object, depth first. */
static bool add_below(struct topology *topology, hwloc_topology_t from, hwloc_obj_t object, size_t parent)
{
  bool good = true;
  hwloc_obj_t child = NULL;
  /* NUMA nodes hang beside the processors they are next to; show those processors inside of them when there is one. */
  if (object->memory_first_child != NULL && object->memory_arity == 1 &&
      object->memory_first_child->type == HWLOC_OBJ_NUMANODE)
    good = add(topology, TOPOLOGY_NUMA, object->memory_first_child->os_index, parent, &parent);
  while (good && (child = hwloc_get_next_child(from, object, child)) != NULL) {
    size_t index = parent;
    if (child->type == HWLOC_OBJ_PACKAGE)
      good = add(topology, TOPOLOGY_PACKAGE, child->os_index, parent, &index);
    else if (child->type == HWLOC_OBJ_CORE)
      good = add(topology, TOPOLOGY_CORE, child->os_index, parent, &index);
    if (good && child->type != HWLOC_OBJ_CORE && !hwloc_obj_type_is_memory(child->type))
      good = add_below(topology, from, child, index);
  }
  return good;
}

bool topology_read(struct topology *topology, const int *directories, size_t count, bool this_machine)
{
  hwloc_topology_t from;
  size_t machine;
  *topology = (struct topology){0};
  if (!add(topology, TOPOLOGY_MACHINE, 0, 0, &machine))
    return false;
  if (!load(&from, directories, count, this_machine))
    return true;
  bool good = add_below(topology, from, hwloc_get_root_obj(from), machine);
  hwloc_topology_destroy(from);
  return good;
}

void topology_free(struct topology *topology)
{
  vector_free(&topology->nodes);
}
