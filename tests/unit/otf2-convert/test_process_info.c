/* The process file: what it may say, and what becomes of one that is missing, torn, odd or hostile. */
#include "otf2-convert/messages.h"
#include "otf2-convert/plan/process.h"
#include "otf2-convert/plan/process_info.h"
#include "tests/unit/otf2-convert/archive_text.h"
#include "tests/unit/otf2-convert/trace_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file with these bytes says; to be freed. */
static struct process_info read_bytes(const struct trace_test *trace, const char *bytes, size_t size)
{
  struct process_info info;
  int directory = open(trace->path, O_RDONLY | O_DIRECTORY);
  int fd = openat(directory, "process", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  assert_int_equal(write(fd, bytes, size), size);
  close(fd);
  assert_true(process_info_read(&info, directory, "process"));
  close(directory);
  return info;
}

static struct process_info read_text(const struct trace_test *trace, const char *text)
{
  return read_bytes(trace, text, strlen(text));
}

static uint32_t module_at(const struct process_info *info, uint64_t code)
{
  uint64_t address;
  return module_map_find(&info->modules.map, code, &address);
}

static void everything_it_may_say(void **state)
{
  struct process_info info =
      read_text(*state, "heddle-raw: 4\ntool: ompt\ntool: jvmti\nruntime: LLVM OMP\nhost: node7\npid: 42\nppid: 41\n"
                        "start: 1700000000000000000\nstart-jiffies: 99\nbegan: 77\nboot-id: b-1\nparent: node7.41.1\n"
                        "exe: /opt/my program\narg: my program\narg: \narg: -x y\ncwd: /home\nenv: A=1\nenv: B=\n"
                        "processors: 6\nclock: tsc\nanchor: 1 2 3\nanchor: 4 5 6\nanchor: 7 8 9\nwindow-size: 65536\n"
                        "modules: 0 9 10 told\nmodule: 10 400000 401000 402000 00ff /opt/my program\n"
                        "module: 11 7f0000000000 7f0000001000 7f0000002000 - /lib/libc.so\n"
                        "threads-lost: 3 no space left\nchunks-lost: 5 disk is full\nlimit: reached\n"
                        "ended: 1234 exit\n");
  assert_int_equal(info.version, 4);
  assert_int_equal(info.tools.count, 2);
  assert_string_equal(info.runtime, "LLVM OMP");
  assert_string_equal(info.host, "node7");
  assert_int_equal(info.pid, 42);
  assert_int_equal(info.ppid, 41);
  assert_int_equal(info.processors, 6);
  assert_true(info.start_ns == 1700000000000000000);
  assert_int_equal(info.start_jiffies, 99);
  assert_int_equal(info.began_ns, 77);
  assert_string_equal(info.boot_id, "b-1");
  assert_string_equal(info.parent, "node7.41.1");
  assert_string_equal(info.exe, "/opt/my program");
  assert_int_equal(info.arguments.count, 3);
  assert_string_equal(info.arguments.items[1], "");
  assert_string_equal(info.arguments.items[2], "-x y");
  assert_int_equal(info.environment.count, 2);
  assert_true(info.clock_is_tsc);
  assert_int_equal(info.anchors, 3);
  assert_int_equal(info.first.ticks, 1);
  assert_int_equal(info.first.realtime_ns, 3);
  assert_int_equal(info.last.ticks, 7);
  assert_int_equal(info.last.monotonic_ns, 8);
  assert_int_equal(info.modules.modules.count, 2);
  assert_string_equal(info.modules.modules.items[0].path, "/opt/my program");
  assert_string_equal(info.modules.modules.items[0].build_id, "00ff");
  assert_true(info.modules.modules.items[1].base == 0x7f0000000000);
  assert_int_equal(module_at(&info, 0x400fff), MODULE_MAP_NONE);
  assert_int_equal(module_at(&info, 0x401000), 0);
  assert_int_equal(module_at(&info, 0x402000), MODULE_MAP_NONE);
  assert_int_equal(module_at(&info, 0x7f0000001fff), 1);
  assert_int_equal(info.threads_lost, 3);
  assert_int_equal(info.chunks_lost, 5);
  assert_string_equal(info.lost_reason, "disk is full");
  assert_true(info.ended);
  assert_int_equal(info.ended_ticks, 1234);
  assert_string_equal(info.ended_how, "exit");
  process_info_free(&info);
}

/* What the file says of an address at a time: the path of a module, "?" for a library that is not known, "" nothing. */
static const char *path_at(const struct process_info *info, uint64_t ticks, uint64_t address)
{
  uint64_t back;
  uint32_t module = module_map_find(&info->modules.map, module_map_code(&info->modules.map, ticks, address), &back);
  if (module == MODULE_MAP_NONE || module == MODULE_MAP_UNKNOWN)
    return module == MODULE_MAP_NONE ? "" : "?";
  assert_true(back == address);
  return info->modules.modules.items[module].path;
}

#define PROGRAM "modules: 0 95 100 %s\nmodule: 0 1000 1000 2000 - /bin/p\nmodule: 100 5000 5000 6000 - /lib/a\n"
#define ENDED   "heddle-raw: 4\nended: 999 exit\n"
#define B_FOR_A "modules: 95 195 200 %s\ngone: 5000\nmodule: 200 5000 5000 5800 - /lib/b\n"

static struct process_info read_listings(const struct trace_test *trace, const char *format, const char *first,
                                         const char *second)
{
  char text[1000];
  snprintf(text, sizeof text, format, first, second);
  return read_text(trace, text);
}

static void libraries_that_take_each_others_place(void **state)
{
  struct process_info info =
      read_listings(*state, "heddle-raw: 4\n" PROGRAM B_FOR_A "modules: 195 395 400 told\n", "told", "told");
  assert_string_equal(path_at(&info, 50, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 95, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 150, 0x5010), "?");
  assert_string_equal(path_at(&info, 199, 0x5010), "?");
  assert_string_equal(path_at(&info, 200, 0x5010), "/lib/b");
  assert_string_equal(path_at(&info, 5000, 0x5010), "/lib/b");
  assert_string_equal(path_at(&info, 150, 0x5810), "/lib/a");
  assert_string_equal(path_at(&info, 200, 0x5810), "?"); /* nothing is known to be there */
  assert_string_equal(path_at(&info, 5000, 0x1010), "/bin/p");
  assert_string_equal(path_at(&info, 150, 0x1010), "/bin/p");
  assert_string_equal(path_at(&info, 150, 0x4fff), "");
  process_info_free(&info);
}

static void a_library_that_comes_again_is_one(void **state)
{
  struct process_info info = read_text(*state, "heddle-raw: 4\nmodules: 0 9 10 told\nmodule: 10 50 50 60 ab /lib/a\n"
                                               "modules: 20 29 30 told\ngone: 50\nmodules: 40 49 50 told\n"
                                               "module: 50 50 50 60 ab /lib/a\nmodule: 50 70 70 80 ab /lib/a\n");
  assert_int_equal(info.modules.modules.count, 2);
  assert_int_equal(info.modules.lives.count, 3);
  assert_false(info.modules.map.timed); /* nothing else was ever there */
  assert_string_equal(path_at(&info, 35, 0x55), "/lib/a");
  process_info_free(&info);
}

/* Without word of dlclose: where listings don't count the same libraries that they list, others may have been there. */
static void what_came_and_went_unseen(void **state)
{
  struct process_info info = read_listings(*state, ENDED PROGRAM "modules: 95 195 200 %s\n", "0", "0");
  assert_string_equal(path_at(&info, 150, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 900, 0x5010), "/lib/a");
  process_info_free(&info);
  info = read_listings(*state, ENDED PROGRAM "modules: 95 195 200 %s\n", "0", "2");
  assert_string_equal(path_at(&info, 150, 0x5010), "?");
  assert_string_equal(path_at(&info, 150, 0x1010), "/bin/p");
  assert_string_equal(path_at(&info, 250, 0x5010), "?");
  process_info_free(&info);
  info = read_listings(*state, ENDED PROGRAM "modules: 95 195 200 %s\nmodules: 195 295 300 0\n", "0", "2");
  assert_string_equal(path_at(&info, 190, 0x5010), "?");
  assert_string_equal(path_at(&info, 250, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 350, 0x5010), "?"); /* no listing came after it */
  process_info_free(&info);
  /* A turn's listing, which does not count, is as good as the next one that does. */
  info = read_listings(*state, ENDED PROGRAM B_FOR_A "modules: 195 295 300 0\n", "0", "-");
  assert_string_equal(path_at(&info, 80, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 150, 0x5010), "?");
  assert_string_equal(path_at(&info, 290, 0x5010), "/lib/b");
  process_info_free(&info);
  info = read_listings(*state, ENDED PROGRAM B_FOR_A "modules: 195 295 300 1\n", "0", "-");
  assert_string_equal(path_at(&info, 250, 0x5010), "?");
  process_info_free(&info);
  info = read_listings(*state, ENDED PROGRAM B_FOR_A "modules: 195 295 300 told\n", "told", "-");
  assert_string_equal(path_at(&info, 90, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 250, 0x5010), "?");
  assert_string_equal(path_at(&info, 350, 0x5010), "/lib/b");
  process_info_free(&info);
}

/* Where code is looked at before a record has it, a module is loaded until the begin of the listing that has it as
 * gone. */
static void each_code_was_listed_before(void **state)
{
  struct process_info info = read_listings(*state, "heddle-raw: 4\n" PROGRAM B_FOR_A, "seen", "seen");
  assert_string_equal(path_at(&info, 1, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 195, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 197, 0x5010), "?");
  assert_string_equal(path_at(&info, 200, 0x5010), "/lib/b");
  assert_string_equal(path_at(&info, 5000, 0x5010), "/lib/b");
  process_info_free(&info);
}

/* Behind the last listing that counts, or before its first one, what was loaded later may have been replaced. */
static void a_killed_process_was_not_listed_at_its_end(void **state)
{
  struct process_info info = read_listings(*state, "heddle-raw: 4\n" PROGRAM "modules: 95 195 200 %s\n", "0", "0");
  assert_string_equal(path_at(&info, 150, 0x5010), "/lib/a");
  assert_string_equal(path_at(&info, 300, 0x5010), "?");
  assert_string_equal(path_at(&info, 300, 0x1010), "/bin/p");
  process_info_free(&info);
  info = read_listings(*state, "heddle-raw: 4\n" PROGRAM "modules: 95 195 200 %s\n", "0", "-");
  assert_string_equal(path_at(&info, 150, 0x5010), "?");
  assert_string_equal(path_at(&info, 300, 0x5010), "?");
  process_info_free(&info);
  info = read_listings(*state, "heddle-raw: 4\n" PROGRAM "modules: 95 195 200 %s\n", "told", "told");
  assert_string_equal(path_at(&info, 300, 0x5010), "/lib/a");
  process_info_free(&info);
}

/* In the place of a library that is gone there may be one that came behind the last listing. */
static void nothing_comes_to_life_again(void **state)
{
  static const char *const how[][3] = {
      {"told", "", "?"}, {"seen", "", "/lib/a"}, {"told", "ended: 999 exit\n", "/lib/a"}};
  for (unsigned i = 0; i < 3; i++) {
    char text[400];
    snprintf(text, sizeof text, "heddle-raw: 1\n" PROGRAM "modules: 95 195 200 %s\ngone: 5000\n%s", how[i][0],
             how[i][0], how[i][1]);
    struct process_info info = read_text(*state, text);
    assert_string_equal(path_at(&info, 100, 0x5010), "/lib/a");
    assert_string_equal(path_at(&info, 300, 0x5010), how[i][2]);
    assert_string_equal(path_at(&info, 300, 0x1010), "/bin/p");
    process_info_free(&info);
  }
}

static void odd_listings(void **state)
{
  struct process_info info = read_text(
      *state, "heddle-raw: 4\nmodule: 1 1 1 9 - /before\ngone: 5\nmodules: \nmodules: 9 8 7 told\nmodules: x y z "
              "t\nmodules: 0 0 0 0\ngone: \ngone: 77\n"
              "module: 1 0 0 ffffffffffffffff - /all\nmodule: 1 100 100 100 - /empty\nmodule: 1 9 9 5 - /less\n"
              "modules: 1 2 2 99999999999999999999\ngone: 0\ngone: 0\nmodule: 2 1 1 2 - /one\n");
  assert_string_equal(path_at(&info, 5, 5), "?"); /* many were loaded and unloaded between listings */
  assert_string_equal(path_at(&info, 5, UINT64_MAX), "?");
  process_info_free(&info);
}

/* As 500 loads and unloads of a program with 250 modules; and more than can be kept are counted. */
static void many_listings(void **state)
{
  size_t size = 0;
  char *text;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  fputs("heddle-raw: 4\nmodules: 0 9 10 told\n", file);
  for (unsigned i = 1; i <= 250; i++)
    fprintf(file, "module: 10 %x000 %x000 %x800 - /lib/%u\n", i, i, i, i);
  for (unsigned i = 1; i <= 500; i++)
    fprintf(
        file,
        "modules: %u %u %u told\nmodule: %u fff000 fff000 fff%03x - /plug/%u\nmodules: %u %u %u told\ngone: fff000\n",
        100 * i, 100 * i + 1, 100 * i + 1, 100 * i + 1, 100 + i, i, 100 * i + 50, 100 * i + 51, 100 * i + 51);
  fclose(file);
  struct process_info info = read_bytes(*state, text, size);
  free(text);
  assert_int_equal(info.modules.lives.count, 750);
  assert_int_equal(info.modules.ignored, 0);
  for (unsigned i = 1; i <= 500; i++) {
    char path[40];
    snprintf(path, sizeof path, "/plug/%u", i);
    assert_string_equal(path_at(&info, 100 * i + 20, 0xfff010), path);
    assert_string_equal(path_at(&info, 100 * i + 20, 0x5010), "/lib/5");
  }
  process_info_free(&info);
}

static void more_modules_than_are_kept(void **state)
{
  size_t size = 0;
  char *text;
  FILE *file = open_memstream(&text, &size);
  assert_non_null(file);
  fputs("heddle-raw: 4\nmodules: 0 9 10 told\nmodule: 0 1000 1000 2000 - /bin/p\n", file);
  for (unsigned i = 0; i < MODULE_LIST_MAX; i++)
    fprintf(file, "modules: %u %u %u told\ngone: 5000\nmodule: 1 5000 5000 6000 - /%x\n", 9 + i, 10 + i, 10 + i, i);
  fclose(file);
  struct process_info info = read_bytes(*state, text, size);
  free(text);
  assert_int_equal(info.modules.ignored, 1);
  assert_string_equal(path_at(&info, MODULE_LIST_MAX / 2, 0x1010), "/bin/p");
  process_info_free(&info);
}

static void a_torn_line_says_nothing(void **state)
{
  struct process_info info = read_text(*state, "heddle-raw: 4\nexe: /bin/true\nended: 5 exit\nexe: /bin/tr");
  assert_string_equal(info.exe, "/bin/true");
  assert_true(info.ended);
  process_info_free(&info);
  info = read_text(*state, "heddle-raw: 4\npid: 7\nended: 5 ex");
  assert_int_equal(info.pid, 7);
  assert_false(info.ended);
  process_info_free(&info);
}

static void later_lines_win_and_odd_ones_are_nothing(void **state)
{
  struct process_info info =
      read_text(*state, "heddle-raw: 4\nhost: a\n\nno key\nunknown: key\nhost:b\nhost: c\n: d\n"
                        "host : e\npid: 12\npid: 1x\nmodules: 0 0 0 told\nmodule: 1 2 3\nmodule: 1 2 3 4 5\n"
                        "heddle-raw: 7\n");
  assert_int_equal(info.version, 4);
  assert_string_equal(info.host, "c");
  assert_int_equal(info.pid, 1);
  assert_int_equal(info.modules.modules.count, 0);
  process_info_free(&info);
}

static void numbers_that_are_none_count_as_zero(void **state)
{
  struct process_info info =
      read_text(*state, "heddle-raw: 4\npid: -1\nppid: abc\nstart:  +5\nstart-jiffies: \n"
                        "anchor: -1 2\nmodules: 0 0 0 told\nmodule: x -1 g 0x10 - /lib/a\nended: -3 exit\n"
                        "threads-lost: 99999999999999999999 many\n");
  assert_true(info.pid == 0 && info.ppid == 0 && info.start_ns == 0 && info.start_jiffies == 0);
  assert_true(info.first.ticks == 0 && info.first.monotonic_ns == 0 && info.first.realtime_ns == 0);
  assert_true(info.modules.modules.items[0].base == 0);
  assert_int_equal(module_at(&info, 0), 0); /* from 0 to 0x10 */
  assert_int_equal(module_at(&info, 0xf), 0);
  assert_int_equal(module_at(&info, 0x10), MODULE_MAP_NONE);
  assert_true(info.ended && info.ended_ticks == 0);
  assert_string_equal(info.ended_how, "-3 exit");
  assert_true(info.threads_lost == UINT64_MAX);
  process_info_free(&info);
}

/* Ids of Java's names are doubted; the first line with an id counts. */
static void java_names(void **state)
{
  struct process_info info = read_text(
      *state,
      "heddle-raw: 4\nclass: 2 java.util.HashMap\nclass: 2 other\nclass: 0 none\nclass: -1 none\nclass: 3\n"
      "class: 1048577 none\nclass: x none\nclass: 4 a\\x20b\\x0a\nplace: 1 0 12 a.B run\\x20now B.java\n"
      "place: 3 1 0 a.C <init> -\nplace: 3 1 9 a.D run D.java\nplace: 4 0 12 a.B\nplace: 5 0 99999999999 a b c\n"
      "place: 0 0 1 a b c\nplace: 1048577 0 1 a b c\n");
  assert_int_equal(info.java.classes.count, 4);
  assert_null(java_class(&info.java, 0));
  assert_null(java_class(&info.java, 1));
  assert_string_equal(java_class(&info.java, 2), "java.util.HashMap");
  assert_null(java_class(&info.java, 3));
  assert_string_equal(java_class(&info.java, 4), "a b\n");
  assert_null(java_class(&info.java, 5));
  assert_null(java_class(&info.java, UINT64_MAX));
  assert_int_equal(info.java.places.count, 5);
  assert_null(java_place(&info.java, 0));
  assert_string_equal(java_place(&info.java, 1)->method, "a.B.run now");
  assert_string_equal(java_place(&info.java, 1)->file, "B.java");
  assert_int_equal(java_place(&info.java, 1)->line, 12);
  assert_null(java_place(&info.java, 2));
  assert_string_equal(java_place(&info.java, 3)->method, "a.C.<init>");
  assert_string_equal(java_place(&info.java, 3)->file, "");
  assert_null(java_place(&info.java, 4));
  assert_int_equal(java_place(&info.java, 5)->line, 0);
  assert_null(java_place(&info.java, 6));
  process_info_free(&info);
}

static void java_programs_are_called_by_what_java_runs(void **state)
{
  static const struct {
    const char *arguments, *name;
  } cases[] = {
      {"arg: java\narg: -cp\narg: a.jar:b\narg: com.acme.App\narg: 7\n", "com.acme.App"},
      {"arg: java\narg: -Xmx1g\narg: -agentpath:/x/libheddle-jvmti.so\narg: App\narg: -jar\narg: b.jar\n", "App"},
      {"arg: java\narg: -jar\narg: /opt/server/app.jar\narg: x\n", "app.jar"},
      {"arg: java\narg: --module-path\narg: mods\narg: -m\narg: com.acme/com.acme.App\n", "com.acme.App"},
      {"arg: java\narg: --module=com.acme\n", "com.acme"},
      {"arg: java\narg: --class-path=a\narg: @options\narg: --source\narg: 17\narg: src/App.java\n", "App.java"},
      {"arg: java\narg: -jar\n", "java"},
      {"arg: java\narg: -version\n", "java"},
      {"arg: java\narg: dir/\n", "dir/"},
      {"arg: java\n", "java"},
      {"", "java"}};
  char text[1024];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(text, sizeof text, "heddle-raw: 4\nexe: /usr/lib/jvm/bin/java\n%s", cases[i].arguments);
    struct process_info info = read_text(*state, text);
    assert_string_equal(process_name(&info), cases[i].name);
    process_info_free(&info);
  }
  struct process_info other = read_text(*state, "heddle-raw: 4\nexe: /bin/lu\narg: java\narg: App\n");
  assert_string_equal(process_name(&other), "lu");
  process_info_free(&other);
  struct process_info unknown = read_text(*state, "heddle-raw: 4\narg: java\narg: App\n");
  assert_null(process_name(&unknown));
  process_info_free(&unknown);
}

static void escapes_are_undone_where_they_are_some(void **state)
{
  struct process_info info =
      read_text(*state, "heddle-raw: 4\nexe: a\\x0ab\\x5cx41\\xFf\ncwd: \\x00\\xg0\\x4\nhost: \\x");
  assert_string_equal(info.exe, "a\nb\\x41\xff");
  assert_string_equal(info.cwd, "\\x00\\xg0\\x4"); /* a text cannot have a zero */
  assert_null(info.host);
  process_info_free(&info);
}

static void a_zero_byte_ends_a_line(void **state)
{
  static const char bytes[] = "heddle-raw: 4\nexe: /bin/a\0b\nho\0st: x\ncwd: /y\n";
  struct process_info info = read_bytes(*state, bytes, sizeof bytes - 1);
  assert_string_equal(info.exe, "/bin/a");
  assert_null(info.host);
  assert_string_equal(info.cwd, "/y");
  process_info_free(&info);
}

static void lists_have_a_limit(void **state)
{
  char *text = malloc(3000000), *at = text + sprintf(text, "heddle-raw: 4\n");
  for (int i = 0; i < 70000; i++)
    at += sprintf(at, "arg: %d\n", i);
  sprintf(at, "exe: /bin/true\n");
  struct process_info info = read_text(*state, text);
  assert_int_equal(info.arguments.count, PROCESS_INFO_LIST_MAX);
  assert_string_equal(info.arguments.items[PROCESS_INFO_LIST_MAX - 1], "65535");
  assert_string_equal(info.exe, "/bin/true");
  process_info_free(&info);
  free(text);
}

static void expect_version(const struct trace_test *trace, const char *text, uint32_t version)
{
  struct process_info info = read_text(trace, text);
  assert_int_equal(info.version, version);
  assert_null(info.host);
  process_info_free(&info);
}

static void what_is_no_process_file(void **state)
{
  struct process_info info;
  expect_version(*state, "", 0);
  expect_version(*state, "heddle-raw: 4", 0); /* torn */
  expect_version(*state,
                 "\x7f"
                 "ELF\x02\x01\x01\n",
                 0);
  expect_version(*state, "host: a\nheddle-raw: 4\n", 0);
  expect_version(*state, "heddle-raw: one\nhost: a\n", 0);
  expect_version(*state, "heddle-raw: 4294967297\n", UINT32_MAX); /* not 1 */
  assert_false(process_info_read(&info, AT_FDCWD, "/"));
  assert_false(process_info_read(&info, AT_FDCWD, "/dev/zero"));
}

/* A process directory of a trace, with a record in it. */
static void put_process(const struct trace_test *trace, const char *name, const char *text)
{
  char *directory = raw_write_process(trace->path, name, text);
  struct raw_thread *thread = raw_thread_open(directory, 0, 4096, 0);
  RAW0(thread, RAW_MASKED_BEGIN, 0, 0x401010, 5);
  raw_thread_close(thread);
  free(directory);
}

static void a_trace_without_a_process_file(void **state)
{
  put_process(*state, "a.1.1", NULL);
  assert_int_equal(trace_test_plan(*state), PLAN_FAULT);
  put_process(*state, "a.2.2", RAW_PLAIN_PROCESS); /* the other one is ignored */
  assert_int_equal(trace_test_plan(*state), PLAN_READY);
  trace_test_convert(*state);
  trace_test_definitions(*state, "location", "location 0 OpenMP master in 0\n");
}

static void a_process_file_that_is_a_pipe(void **state)
{
  struct trace_test *trace = *state;
  char path[80];
  put_process(trace, "a.1.1", NULL);
  snprintf(path, sizeof path, "%s/raw/a.1.1/process", trace->path);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(trace_test_plan(trace), PLAN_FAULT);
}

static void other_versions_are_refused(void **state)
{
  struct trace_test *trace = *state;
  char path[80];
  put_process(trace, "a.1.1", "");
  snprintf(path, sizeof path, "%s/raw/a.1.1/process", trace->path);
  for (unsigned version = RAW_VERSION - 1; version <= RAW_VERSION + 1; version++) {
    FILE *file = fopen(path, "w");
    fprintf(file, "heddle-raw: %u\n", version);
    fclose(file);
    assert_int_equal(trace_test_plan(trace), version == RAW_VERSION ? PLAN_READY : PLAN_FAULT);
  }
}

/* What the archive says of processes that say odd things. A reader meets a parent before its child, and no name twice.
 */
static void odd_processes_in_the_archive(void **state)
{
  struct trace_test *trace = *state;
  put_process(
      trace, "a.1.1",
      "host: h\\x1b[31m\nstart: 1\npid: 1\nexe: /bin/\\x0aevil\\xff\nparent: a.2.2\nprocessors: 3\nclock: "
      "monotonic\nanchor: 0 0 0\n"
      "arg: a b\narg: \narg: it's\nenv: NAME=1\nenv: NAME=2\nenv: =3\nenv: none\nenv: EMPTY=\nended: 9 ex\\x09it\n");
  put_process(trace, "a.2.2", "host: h\\x1b[31m\nstart: 2\npid: 2\nparent: a.1.1\nclock: monotonic\nanchor: 0 0 0\n");
  put_process(trace, "a.3.3", "host: h\\x1b[31m\nstart: 3\npid: 3\nparent: a.3.3\nclock: monotonic\nanchor: 0 0 0\n");
  put_process(trace, "a.4.4", "");
  trace_test_convert(trace);
  /* The process that says nothing began at 0. */
  trace_test_definitions(trace, "group",
                         "group 0 unknown [0] on 0 of -\ngroup 1 \\x0aevil\\xff [1] on 1 of -\n"
                         "group 2 unknown [2] on 1 of 1\ngroup 3 unknown [3] on 1 of -\n");
  trace_test_definitions(trace, "node", "node 0 machine unknown in -\nnode 1 machine h\\x1b[31m in -\n");
  trace_test_definitions(
      trace, "group-property",
      "group-property 0 HEDDLE::ENDED=unknown\ngroup-property 0 HEDDLE::CLOCK=monotonic\n"
      "group-property 1 HEDDLE::COMMAND='a b' '' 'it's'\ngroup-property 1 HEDDLE::EXE=/bin/\\x0aevil\\xff\n"
      "group-property 1 HEDDLE::HOST=h\\x1b[31m\ngroup-property 1 HEDDLE::ENDED=ex\\x09it\n"
      "group-property 1 HEDDLE::CLOCK=monotonic\ngroup-property 1 HEDDLE::PROCESSORS=3\ngroup-property 1 "
      "HEDDLE::ENV::NAME=1\n"
      "group-property 1 HEDDLE::ENV::EMPTY=\n"
      "group-property 2 HEDDLE::HOST=h\\x1b[31m\ngroup-property 2 HEDDLE::ENDED=unknown\n"
      "group-property 2 HEDDLE::CLOCK=monotonic\n"
      "group-property 3 HEDDLE::HOST=h\\x1b[31m\ngroup-property 3 HEDDLE::ENDED=unknown\n"
      "group-property 3 HEDDLE::CLOCK=monotonic\n");
}

static void odd_machine_name(void **state)
{
  struct trace_test *trace = *state;
  put_process(trace, "a.1.1", "host: h\\x1b[31m\nstart: 1\nclock: monotonic\nanchor: 0 0 0\nended: 9 exit\n");
  trace_test_convert(trace);
  char *name = archive_machine_name(trace->anchor);
  assert_string_equal(name, "h\\x1b[31m");
  free(name);
}

/* A module's path is what the file says: nothing that waits, and nothing without an end, is read. */
static void modules_that_are_no_files(void **state)
{
  struct trace_test *trace = *state;
  char fifo[64], process[1024];
  snprintf(fifo, sizeof fifo, "%s/fifo", trace->path);
  assert_int_equal(mkfifo(fifo, 0600), 0);
  const char *const paths[] = {fifo, "/dev/zero", "/", "relative", "/nowhere"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    char name[16];
    snprintf(name, sizeof name, "a.%zu.1", i);
    snprintf(process, sizeof process, RAW_PLAIN_PROCESS "modules: 0 1 1 told\nmodule: 1 400000 401000 402000 - %s\n",
             paths[i]);
    put_process(trace, name, process);
  }
  trace_test_convert(trace);
  char line[128];
  snprintf(line, sizeof line,
           "5 enter !$omp masked @fifo+0x1010\n1000000 leave !$omp masked @fifo+0x1010 closed=ended\n");
  trace_test_events(trace, 0, line);
  trace_test_events(trace, 3,
                    "5 enter !$omp masked @relative+0x1010\n"
                    "1000000 leave !$omp masked @relative+0x1010 closed=ended\n");
}

UNIT_TEST(process_info)
{
  message_set_quiet(true);
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, trace_test_set_up, trace_test_tear_down)
      TEST(everything_it_may_say),
      TEST(libraries_that_take_each_others_place),
      TEST(a_library_that_comes_again_is_one),
      TEST(what_came_and_went_unseen),
      TEST(each_code_was_listed_before),
      TEST(a_killed_process_was_not_listed_at_its_end),
      TEST(nothing_comes_to_life_again),
      TEST(odd_listings),
      TEST(many_listings),
      TEST(more_modules_than_are_kept),
      TEST(a_torn_line_says_nothing),
      TEST(later_lines_win_and_odd_ones_are_nothing),
      TEST(numbers_that_are_none_count_as_zero),
      TEST(java_names),
      TEST(java_programs_are_called_by_what_java_runs),
      TEST(escapes_are_undone_where_they_are_some),
      TEST(a_zero_byte_ends_a_line),
      TEST(lists_have_a_limit),
      TEST(what_is_no_process_file),
      TEST(a_trace_without_a_process_file),
      TEST(a_process_file_that_is_a_pipe),
      TEST(other_versions_are_refused),
      TEST(odd_processes_in_the_archive),
      TEST(odd_machine_name),
      TEST(modules_that_are_no_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
