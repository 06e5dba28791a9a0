#include "otf2-convert/describe/topology.h"

#include "otf2-convert/messages.h"

#include <fcntl.h>
#include <hwloc.h>
#include <stdint.h>
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
    message_note("topology.xml: damaged, or not from hwloc: ignored");
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

#define DEPTH_MAX   128u /* of elements inside of each other */
#define OBJECTS_MAX (1u << 20)
#define NODES_MAX   65536u
#define NOWHERE     SIZE_MAX

/* A part of the text. */
struct span {
  const char *at;
  size_t size;
};

enum tag_kind { TAG_END_OF_TEXT, TAG_OPEN, TAG_CLOSE, TAG_EMPTY, TAG_BROKEN };

struct tag {
  enum tag_kind kind;
  struct span name, attributes;
};

enum object_type { OBJECT_OTHER, OBJECT_PACKAGE, OBJECT_NUMA, OBJECT_CORE, OBJECT_MEMORY_CACHE, OBJECT_TYPES };

struct object {
  enum object_type type;
  unsigned number;
  size_t parent;   /* NOWHERE: none */
  size_t numa;     /* the last of its NUMA nodes */
  unsigned numas;  /* how many it has */
  size_t contents; /* the topology's node that what is in the object hangs below */
};

struct reading {
  struct span rest;
  VECTOR(struct object) objects;
  unsigned counts[OBJECT_TYPES];
  struct {
    struct span name;
    size_t object; /* NOWHERE: the element is none */
  } open[DEPTH_MAX];
  size_t depth;
  struct span host;
};

static bool is(struct span span, const char *text)
{
  return span.size == strlen(text) && memcmp(span.at, text, span.size) == 0;
}

static bool topology_xml_is_same(struct span a, struct span b)
{
  return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

static void skip(struct span *span, size_t n)
{
  span->at += n;
  span->size -= n;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static void skip_blanks(struct span *span)
{
  while (span->size > 0 && is_blank(span->at[0]))
    skip(span, 1);
}

/* Takes a name off the front; empty when there is none. */
static struct span topology_xml_take_name(struct span *span)
{
  struct span name = {.at = span->at};
  while (name.size < span->size && is_name(span->at[name.size]))
    name.size++;
  skip(span, name.size);
  return name;
}

/* Takes `name="value"` off the front. False when there is no such thing. */
static bool take_attribute(struct span *span, struct span *name, struct span *value)
{
  skip_blanks(span);
  *name = topology_xml_take_name(span);
  if (name->size == 0 || span->size < 2 || span->at[0] != '=' || span->at[1] != '"')
    return false;
  skip(span, 2);
  const char *end = memchr(span->at, '"', span->size);
  if (end == NULL)
    return false;
  *value = (struct span){.at = span->at, .size = (size_t)(end - span->at)};
  skip(span, value->size + 1);
  return true;
}

/* The value of an attribute; empty when there is none. */
static struct span attribute(struct span attributes, const char *name)
{
  struct span known, value;
  while (take_attribute(&attributes, &known, &value))
    if (is(known, name))
      return value;
  return (struct span){.at = ""};
}

/* The next tag. Text, comments, and what begins with <? or <! are skipped. */
static struct tag next_tag(struct span *rest)
{
  for (;;) {
    const char *begin = memchr(rest->at, '<', rest->size);
    if (begin == NULL)
      return (struct tag){.kind = TAG_END_OF_TEXT};
    skip(rest, (size_t)(begin - rest->at) + 1);
    if (rest->size >= 3 && memcmp(rest->at, "!--", 3) == 0) {
      const char *end = memmem(rest->at, rest->size, "-->", 3);
      if (end == NULL)
        return (struct tag){.kind = TAG_BROKEN};
      skip(rest, (size_t)(end - rest->at) + 3);
    } else if (rest->size == 0 || (rest->at[0] != '?' && rest->at[0] != '!')) {
      break;
    }
  }
  struct tag tag = {.kind = TAG_OPEN};
  if (rest->size > 0 && rest->at[0] == '/') {
    tag.kind = TAG_CLOSE;
    skip(rest, 1);
  }
  tag.name = topology_xml_take_name(rest);
  tag.attributes = *rest;
  struct span name, value, before = *rest;
  while (tag.kind == TAG_OPEN && take_attribute(rest, &name, &value))
    before = *rest;
  *rest = before;
  tag.attributes.size -= rest->size;
  skip_blanks(rest);
  if (tag.kind == TAG_OPEN && rest->size > 0 && rest->at[0] == '/') {
    tag.kind = TAG_EMPTY;
    skip(rest, 1);
  }
  if (tag.name.size == 0 || rest->size == 0 || rest->at[0] != '>')
    tag.kind = TAG_BROKEN;
  return tag;
}

static enum object_type topology_xml_type_of(struct span name)
{
  return is(name, "Package") || is(name, "Socket") ? OBJECT_PACKAGE
         : is(name, "NUMANode")                    ? OBJECT_NUMA
         : is(name, "Core")                        ? OBJECT_CORE
         : is(name, "MemCache")                    ? OBJECT_MEMORY_CACHE
                                                   : OBJECT_OTHER;
}

/* The operating system's number of an object; where it has none, its place among the objects of its type. */
static unsigned number_of(struct span os_index, unsigned place)
{
  uint64_t number = 0;
  for (size_t i = 0; i < os_index.size; i++) {
    if (os_index.at[i] < '0' || os_index.at[i] > '9' || number > UINT32_MAX)
      return place;
    number = number * 10 + (uint64_t)(os_index.at[i] - '0');
  }
  return os_index.size == 0 || number >= UINT32_MAX ? place : (unsigned)number;
}

/* Adds an object inside of the innermost open one. False when memory is short. */
static bool topology_xml_add_object(struct reading *r, struct span attributes, size_t *index)
{
  struct object object = {.type = topology_xml_type_of(attribute(attributes, "type")), .parent = NOWHERE};
  object.number = number_of(attribute(attributes, "os_index"), r->counts[object.type]++);
  for (size_t i = r->depth; i-- > 0 && object.parent == NOWHERE;)
    object.parent = r->open[i].object;
  *index = r->objects.count;
  size_t beside = object.parent;
  while (beside != NOWHERE && r->objects.items[beside].type == OBJECT_MEMORY_CACHE)
    beside = r->objects.items[beside].parent;
  if (object.type == OBJECT_NUMA && beside != NOWHERE) {
    r->objects.items[beside].numas++;
    r->objects.items[beside].numa = *index;
  }
  return vector_push(&r->objects, object);
}

/* An element begins. */
static enum topology_xml open_element(struct reading *r, const struct tag *tag)
{
  size_t object = NOWHERE;
  if (is(tag->name, "object")) {
    if (r->objects.count >= OBJECTS_MAX)
      return TOPOLOGY_XML_DAMAGED;
    if (!topology_xml_add_object(r, tag->attributes, &object))
      return TOPOLOGY_XML_NO_MEMORY;
  } else if (is(tag->name, "info") && is(attribute(tag->attributes, "name"), "HostName") && r->host.size == 0) {
    r->host = attribute(tag->attributes, "value");
  }
  if (tag->kind == TAG_EMPTY)
    return TOPOLOGY_XML_READ;
  if (r->depth == DEPTH_MAX)
    return TOPOLOGY_XML_DAMAGED;
  r->open[r->depth].name = tag->name;
  r->open[r->depth++].object = object;
  return TOPOLOGY_XML_READ;
}

/* Reads all elements, which must be properly inside of each other, and the outermost one a topology. */
static enum topology_xml read_elements(struct reading *r)
{
  for (bool first = true;; first = false) {
    struct tag tag = next_tag(&r->rest);
    enum topology_xml result = TOPOLOGY_XML_READ;
    if (tag.kind == TAG_BROKEN || (first && !is(tag.name, "topology")))
      return TOPOLOGY_XML_DAMAGED;
    if (tag.kind == TAG_END_OF_TEXT)
      return r->depth == 0 && r->objects.count > 0 ? TOPOLOGY_XML_READ : TOPOLOGY_XML_DAMAGED;
    if (tag.kind != TAG_CLOSE)
      result = open_element(r, &tag);
    else if (r->depth == 0 || !topology_xml_is_same(r->open[--r->depth].name, tag.name))
      result = TOPOLOGY_XML_DAMAGED;
    if (result != TOPOLOGY_XML_READ)
      return result;
  }
}

static bool topology_xml_add_node(struct topology *topology, enum topology_kind kind, unsigned number, size_t *contents)
{
  struct topology_node node = {.kind = kind, .number = number, .parent = *contents};
  if (topology->nodes.count >= NODES_MAX)
    return true;
  *contents = topology->nodes.count;
  return vector_push(&topology->nodes, node);
}

/*
 * Makes the objects that are shown nodes. A NUMA node is beside the processors that it is next to; they are shown
 * inside of it, where there is but one.
 */
static bool add_nodes(struct topology *topology, struct reading *r)
{
  for (size_t i = 0; i < r->objects.count; i++) {
    struct object *object = &r->objects.items[i];
    bool good = true;
    if (object->parent != NOWHERE)
      object->contents = r->objects.items[object->parent].contents;
    if (object->type == OBJECT_PACKAGE)
      good = topology_xml_add_node(topology, TOPOLOGY_PACKAGE, object->number, &object->contents);
    else if (object->type == OBJECT_CORE)
      good = topology_xml_add_node(topology, TOPOLOGY_CORE, object->number, &object->contents);
    if (good && object->numas == 1 && object->type != OBJECT_CORE)
      good = topology_xml_add_node(topology, TOPOLOGY_NUMA, r->objects.items[object->numa].number, &object->contents);
    if (!good)
      return false;
  }
  return true;
}

enum topology_xml topology_xml_read(struct topology *topology, const char *xml, size_t size, const char *host)
{
  struct reading reading = {.rest = {.at = xml, .size = size}};
  enum topology_xml result = read_elements(&reading);
  if (result == TOPOLOGY_XML_READ && host != NULL && !is(reading.host, host))
    result = TOPOLOGY_XML_OTHER_HOST;
  if (result == TOPOLOGY_XML_READ && !add_nodes(topology, &reading)) {
    topology->nodes.count = 1;
    result = TOPOLOGY_XML_NO_MEMORY;
  }
  vector_free(&reading.objects);
  return result;
}
