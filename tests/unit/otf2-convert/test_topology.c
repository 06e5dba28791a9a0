/* The machine of a process: out of a file that is there, missing, damaged, about another host, or hostile. */
#include "otf2-convert/describe/topology.h"
#include "otf2-convert/messages.h"
#include "tests/unit/otf2-convert/archive_text.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD                                                                                                           \
  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology "                  \
  "version=\"2.0\">\n"
#define NAMED(host) "<object type=\"Machine\" os_index=\"0\"><info name=\"HostName\" value=\"" host "\"/>\n"
#define TAIL        "</object></topology>\n"
#define CORE(n)     "<object type=\"Core\" os_index=\"" #n "\"><object type=\"PU\" os_index=\"" #n "\"/></object>\n"
/* Two packages; the second has its processors beside a NUMA node. */
#define PACKAGES                                                                                                       \
  "<object type=\"Package\" os_index=\"0\">" CORE(0) CORE(                                                             \
      1) "</object>\n<object type=\"Package\" os_index=\"1\">"                                                         \
         "<object type=\"NUMANode\" os_index=\"7\"><page_type size=\"4096\"/></object><object type=\"L3Cache\">" CORE( \
             4) "</object></object>\n"
#define OF_ALPHA HEAD NAMED("alpha") PACKAGES TAIL
#define NODES_OF_ALPHA                                                                                                 \
  "node 0 machine alpha in -\nnode 1 package package 0 in 0\nnode 2 core core 0 in 1\nnode 3 core core 1 in 1\n"       \
  "node 4 package package 1 in 0\nnode 5 NUMA node NUMA node 7 in 4\nnode 6 core core 4 in 5\n"

#define PROCESS(host, pid)                                                                                             \
  "host: " host "\npid: " pid "\nstart: " pid "\nclock: monotonic\nanchor: 0 0 0\nended: 9 exit\n"

static void put_file(const char *directory, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/topology.xml", directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

/* A process with one thread; xml: its own topology, or NULL. */
static void put_process(const struct trace_test *trace, const char *name, const char *text, const char *xml)
{
  char *directory = raw_write_process(trace->path, name, text);
  struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
  RAW0(thread, RAW_THREAD_BEGIN, 1, 100, 1);
  raw_thread_close(thread);
  if (xml != NULL)
    put_file(directory, xml);
  free(directory);
}

static void no_file(void **state)
{
  put_process(*state, "a.1.1", PROCESS("alpha", "1"), NULL);
  trace_test_convert(*state);
  trace_test_definitions(*state, "node", "node 0 machine alpha in -\n");
}

static void file_of_the_trace(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", PROCESS("alpha", "1"), NULL);
  put_file(trace->path, OF_ALPHA);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node", NODES_OF_ALPHA);
  trace_test_definitions(trace, "group", "group 0 unknown [1] on 0 of -\n");
}

static void file_of_the_process_comes_first(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", PROCESS("alpha", "1"), HEAD NAMED("alpha") CORE(3) TAIL);
  put_file(trace->path, OF_ALPHA);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node", "node 0 machine alpha in -\nnode 1 core core 3 in 0\n");
}

static void damaged_file_of_the_process(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", PROCESS("alpha", "1"), HEAD NAMED("alpha") CORE(3));
  put_file(trace->path, OF_ALPHA);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node", NODES_OF_ALPHA);
}

static void file_of_another_machine(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", PROCESS("beta", "1"), NULL);
  put_file(trace->path, OF_ALPHA);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node", "node 0 machine beta in -\n");
}

/* Each host gets what is about it; processes of one host share its node. */
static void file_of_one_of_two_hosts(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", PROCESS("beta", "1"), NULL);
  put_process(trace, "a.2.2", PROCESS("alpha", "2"), NULL);
  put_process(trace, "a.3.3", PROCESS("beta", "3"), NULL);
  put_file(trace->path, HEAD NAMED("alpha") CORE(5) TAIL);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node",
                         "node 0 machine beta in -\nnode 1 machine alpha in -\nnode 2 core core 5 in 1\n");
  trace_test_definitions(trace, "group",
                         "group 0 unknown [1] on 0 of -\ngroup 1 unknown [2] on 1 of -\n"
                         "group 2 unknown [3] on 0 of -\n");
}

/* Without a file, the machine is asked if it is still the same one. */
static void this_machine_is_asked(void **state)
{
  struct trace_test *trace = *state;
  char boot[64] = "", process[512], line[64];
  FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
  if (file == NULL || fgets(boot, sizeof boot, file) == NULL)
    skip();
  fclose(file);
  snprintf(process, sizeof process, "boot-id: %s" PROCESS("alpha", "1"), boot);
  put_process(trace, "a.1.1", process, NULL);
  put_file(trace->path, "damaged");
  trace_test_convert(trace);
  char *text = archive_definitions_text(trace->anchor, "node");
  hwloc_topology_t here;
  assert_int_equal(hwloc_topology_init(&here), 0);
  assert_int_equal(hwloc_topology_load(here), 0);
  for (int i = 0; i < hwloc_get_nbobjs_by_type(here, HWLOC_OBJ_CORE); i++) {
    snprintf(line, sizeof line, "core core %u in", hwloc_get_obj_by_type(here, HWLOC_OBJ_CORE, (unsigned)i)->os_index);
    assert_non_null(strstr(text, line));
  }
  for (int i = 0; i < hwloc_get_nbobjs_by_type(here, HWLOC_OBJ_PACKAGE); i++) {
    snprintf(line, sizeof line, "package package %u in",
             hwloc_get_obj_by_type(here, HWLOC_OBJ_PACKAGE, (unsigned)i)->os_index);
    assert_non_null(strstr(text, line));
  }
  hwloc_topology_destroy(here);
  free(text);
}

/* Nobody writes into it: opening it for reading must not wait. */
static void what_is_no_file(void **state)
{
  struct trace_test *trace = *state;
  char path[64];
  put_process(trace, "a.1.1", PROCESS("alpha", "1"), NULL);
  snprintf(path, sizeof path, "%s/topology.xml", trace->path);
  assert_int_equal(mkfifo(path, 0600), 0);
  trace_test_convert(trace);
  trace_test_definitions(trace, "node", "node 0 machine alpha in -\n");
}

/* Reads a text; nothing may be read beyond its end. `nodes` gets the numbers of the nodes, parents in front. */
static enum topology_xml read_text(const char *xml, size_t size, const char *host, char *nodes, size_t room)
{
  const struct topology_node machine = {.kind = TOPOLOGY_MACHINE};
  struct topology topology = {0};
  char *copy = malloc(size + (size == 0));
  size_t used = 0;
  memcpy(copy, xml, size);
  assert_true(vector_push(&topology.nodes, machine));
  enum topology_xml result = topology_xml_read(&topology, copy, size, host);
  free(copy);
  for (size_t i = 1; i < topology.nodes.count; i++) {
    const struct topology_node *node = &topology.nodes.items[i];
    assert_true(node->parent < i);
    assert_true(node->kind >= TOPOLOGY_PACKAGE && node->kind <= TOPOLOGY_CORE);
    if (used + 32 < room)
      used += (size_t)snprintf(nodes + used, room - used, "%zu%c%u ", node->parent, " PNC"[node->kind], node -> number);
  }
  if (room > 0)
    nodes[used] = 0;
  if (result != TOPOLOGY_XML_READ)
    assert_int_equal(topology.nodes.count, 1);
  topology_free(&topology);
  return result;
}

static void expect(const char *xml, const char *nodes)
{
  char text[256];
  assert_int_equal(read_text(xml, strlen(xml), NULL, text, sizeof text), TOPOLOGY_XML_READ);
  assert_string_equal(text, nodes);
}

static void forms(void **state)
{
  (void)state;
  expect(OF_ALPHA, "0P0 1C0 1C1 0P1 4N7 5C4 ");
  /* One NUMA node beside all; behind a memory-side cache; two of them, which have no part of the processors each. */
  expect(HEAD "<object type=\"Machine\"><object type=\"NUMANode\" os_index=\"3\"/>" CORE(1) TAIL, "0N3 1C1 ");
  expect(HEAD
         "<object type=\"Machine\"><object type=\"MemCache\"><object type=\"NUMANode\" os_index=\"3\"/></object>" CORE(
             1) TAIL,
         "0N3 1C1 ");
  expect(HEAD "<object type=\"Machine\"><object type=\"NUMANode\" os_index=\"0\"/><object type=\"NUMANode\" "
              "os_index=\"1\"/>" CORE(1) TAIL,
         "0C1 ");
  /* hwloc 1: sockets, processors inside of NUMA nodes. */
  expect("<topology><object type=\"Machine\"><object type=\"Socket\" os_index=\"0\"><object type=\"NUMANode\" "
         "os_index=\"2\">" CORE(8) "</object></object>" TAIL,
         "0P0 1N2 2C8 ");
  /* No numbers, and impossible ones. */
  expect("<topology><object type=\"Machine\"><object type=\"Core\"/><object type=\"Core\" os_index=\"4294967295\"/>"
         "<object type=\"Core\" os_index=\"-1\"/><object type=\"Core\" os_index=\"99999999999999999999\"/>" TAIL,
         "0C0 0C1 0C2 0C3 ");
  expect("<topology><!-- <object> --><object type=\"Machine\"/></topology>", "");
}

static void damaged(const char *xml)
{
  assert_int_equal(read_text(xml, strlen(xml), NULL, NULL, 0), TOPOLOGY_XML_DAMAGED);
}

static void damages(void **state)
{
  (void)state;
  damaged("");
  damaged("\x7f"
          "ELF");
  damaged("<topology version=\"2.0\">");
  damaged("<topology></topology>"); /* of nothing */
  damaged("<machine><object type=\"Machine\"/></machine>");
  damaged("<topology><object></topology></object>");
  damaged("<topology><object type=\"Machine\"/></topology></topology>");
  damaged("<topology><object type=\"Machine></topology>");
  damaged("<topology><object type=\"Machine\"/><");
  damaged("<topology><!-- <object type=\"Machine\"/></topology>");
  damaged("<topology><object type=\"Machine\"/ ></topology>");
  /* Every file that ends early. */
  for (size_t size = 0; size + strlen("</topology>\n") < strlen(OF_ALPHA); size++)
    assert_int_equal(read_text(OF_ALPHA, size, NULL, NULL, 0), TOPOLOGY_XML_DAMAGED);
  assert_int_equal(read_text(OF_ALPHA, strlen(OF_ALPHA), "alpha", NULL, 0), TOPOLOGY_XML_READ);
  assert_int_equal(read_text(OF_ALPHA, strlen(OF_ALPHA), "alph", NULL, 0), TOPOLOGY_XML_OTHER_HOST);
  assert_int_equal(read_text(OF_ALPHA, strlen(OF_ALPHA), "beta", NULL, 0), TOPOLOGY_XML_OTHER_HOST);
}

/* Every byte, changed to all that means something here: what is read then is a tree still. */
static void every_byte_changed(void **state)
{
  static const char meaningful[] = "<>/\"= \n!?-x0\xff"; /* and the zero at its end */
  char text[] = OF_ALPHA;
  unsigned read = 0;
  (void)state;
  for (size_t i = 0; i < sizeof text - 1; i++) {
    char kept = text[i];
    for (size_t c = 0; c < sizeof meaningful; c++) {
      text[i] = meaningful[c];
      read += read_text(text, sizeof text - 1, NULL, NULL, 0) == TOPOLOGY_XML_READ;
    }
    text[i] = kept;
  }
  assert_in_range(read, sizeof text, sizeof meaningful * sizeof text);
}

/* As deep, and as many, as nothing is. */
static void too_much(void **state)
{
  (void)state;
  const size_t many = 1u << 20;
  char *text = malloc(many * 20 + 100), *at = text;
  at += sprintf(at, "<topology>");
  for (size_t i = 0; i < many; i++)
    at += sprintf(at, "<object>");
  assert_int_equal(read_text(text, (size_t)(at - text), NULL, NULL, 0), TOPOLOGY_XML_DAMAGED);
  at = text + sprintf(text, "<topology><object>");
  for (size_t i = 0; i < many; i++)
    at += sprintf(at, "<object/>");
  at += sprintf(at, "</object></topology>");
  assert_int_equal(read_text(text, (size_t)(at - text), NULL, NULL, 0), TOPOLOGY_XML_DAMAGED);
  free(text);
}

UNIT_TEST(topology)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_test_set_up, trace_test_tear_down)
      TEST(no_file),
      TEST(file_of_the_trace),
      TEST(file_of_the_process_comes_first),
      TEST(damaged_file_of_the_process),
      TEST(file_of_another_machine),
      TEST(file_of_one_of_two_hosts),
      TEST(this_machine_is_asked),
      TEST(what_is_no_file),
      cmocka_unit_test(forms),
      cmocka_unit_test(damages),
      cmocka_unit_test(every_byte_changed),
      cmocka_unit_test(too_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
