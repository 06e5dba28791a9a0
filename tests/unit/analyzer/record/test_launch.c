/* The look at a program: the libraries that the loader would load, the files that need them, and their runtimes. */
#include "analyzer/record/launch/program_libraries.h"
#include "tests/unit/analyzer/launch_files.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Builds a library that calls nothing but is needed all the same. */
static void library(const char *path, const char *code, const char *flags)
{
  const char *slash = strrchr(path, '/');
  sh("echo '%s' | $CC -w -shared -fPIC -nostdlib -Wl,--no-as-needed -Wl,--soname=%s -o %s %s -x c -", code,
     slash ? slash + 1 : path, path, flags);
}

/* Builds a program that would do nothing. */
static void executable(const char *path, const char *flags)
{
  sh("echo 'int main(void) { return 0; }' | $CC -Wl,--no-as-needed -o %s %s -x c -", path, flags);
}

static struct program_libraries *libraries(const char *program)
{
  struct program_libraries *seen = program_libraries_find(program);
  assert_non_null(seen);
  return seen;
}

static const struct program_library *named(const struct program_libraries *libraries, const char *name)
{
  for (size_t i = 0; i < libraries->count; i++)
    if (strcmp(libraries->libraries[i].name, name) == 0)
      return &libraries->libraries[i];
  fail_msg("%s is not among the libraries", name);
  return NULL;
}

/* A library's path ends so; NULL: it is not found. */
static void assert_at(const struct program_libraries *libraries, const char *name, const char *end)
{
  const char *path = named(libraries, name)->path;
  if (!end) {
    assert_null(path);
    return;
  }
  assert_non_null(path);
  assert_int_equal(path[0], '/');
  assert_true(strlen(path) > strlen(end));
  assert_string_equal(path + strlen(path) - strlen(end), end);
}

/* The loader itself is asked, and says the same for every library that it names. */
static void assert_as_loader(const char *program)
{
  char line[4096], name[1024], path[1024];
  struct program_libraries *seen = libraries(program);
  size_t n = 0;
  snprintf(line, sizeof line, "LD_TRACE_LOADED_OBJECTS=1 %s", program);
  FILE *loader = popen(line, "r");
  assert_non_null(loader);
  while (fgets(line, sizeof line, loader)) {
    if (sscanf(line, " %1023s => %1023s", name, path) != 2)
      continue;
    const struct program_library *found = named(seen, name);
    if (strcmp(path, "not") == 0) {
      assert_null(found->path);
    } else {
      char *real[2] = {realpath(found->path, NULL), realpath(path, NULL)};
      assert_string_equal(real[0], real[1]);
      free(real[0]);
      free(real[1]);
    }
    n++;
  }
  pclose(loader);
  assert_true(n > 0);
  program_libraries_free(seen);
}

#define GOMP "void GOMP_parallel(void) {}"
#define KMP  "void __kmpc_fork_call(void) {} void GOMP_parallel(void) {}"

static void runtimes_are_known_by_what_they_define(void **state)
{
  (void)state;
  sh("mkdir -p rt");
  library("rt/libgomp.so.1", GOMP, "");
  library("rt/libmp.so.5", KMP, "");
  library("rt/libuser.so", "void GOMP_parallel(void); void f(void) { GOMP_parallel(); }", "rt/libgomp.so.1");
  executable("rt/gomp", "rt/libuser.so rt/libgomp.so.1 -Wl,-rpath,'$ORIGIN'");
  executable("rt/both", "rt/libmp.so.5 rt/libgomp.so.1 -Wl,-rpath,'${ORIGIN}'");
  executable("rt/none", "");
  struct program_libraries *seen = libraries("rt/gomp");
  assert_int_equal(seen->kind, ELF_NATIVE);
  assert_false(seen->is_static || seen->secure || seen->script || seen->other_loader || seen->incomplete || seen->jvm);
  assert_int_equal(seen->inside, RUNTIME_NONE);
  assert_string_equal(program_libraries_with(seen, RUNTIME_LIBGOMP)->name, "libgomp.so.1");
  assert_null(program_libraries_with(seen, RUNTIME_LIBOMP));
  program_libraries_free(seen);
  seen = libraries("rt/both");
  assert_string_equal(program_libraries_with(seen, RUNTIME_LIBGOMP)->name, "libgomp.so.1");
  assert_string_equal(program_libraries_with(seen, RUNTIME_LIBOMP)->name, "libmp.so.5");
  program_libraries_free(seen);
  seen = libraries("rt/none");
  assert_null(program_libraries_with(seen, RUNTIME_LIBGOMP));
  assert_null(program_libraries_with(seen, RUNTIME_LIBOMP));
  assert_at(seen, "libc.so.6", "/libc.so.6");
  program_libraries_free(seen);
}

static void a_chain_is_followed(void **state)
{
  (void)state;
  sh("mkdir -p chain/deep");
  library("chain/deep/libgomp.so.1", GOMP, "");
  library("chain/liba.so", "", "chain/deep/libgomp.so.1 -Wl,-rpath,'$ORIGIN/deep'");
  executable("chain/program", "chain/liba.so -Wl,-rpath,'$ORIGIN' -Wl,--allow-shlib-undefined");
  struct program_libraries *seen = libraries("chain/program");
  const struct program_library *libgomp = program_libraries_with(seen, RUNTIME_LIBGOMP);
  assert_at(seen, "libgomp.so.1", "/chain/deep/libgomp.so.1");
  assert_string_equal(libgomp->asker, named(seen, "liba.so")->path);
  program_libraries_free(seen);
  assert_as_loader("chain/program");
  /* $ORIGIN is where the program is, not where links to it are. */
  sh("mkdir elsewhere && ln -s ../chain/program elsewhere/link");
  seen = libraries("elsewhere/link");
  assert_at(seen, "libgomp.so.1", "/chain/deep/libgomp.so.1");
  program_libraries_free(seen);
}

/* DT_RPATH holds for libraries of libraries, DT_RUNPATH does not. */
static void paths_are_inherited_as_the_loader_does(void **state)
{
  (void)state;
  sh("mkdir -p in/lib");
  library("in/lib/libinner.so", GOMP, "");
  library("in/lib/libouter.so", "", "in/lib/libinner.so");
  static const char flags[] = "in/lib/libouter.so -Wl,-rpath,'$ORIGIN/lib' -Wl,-rpath-link,in/lib";
  char line[256];
  snprintf(line, sizeof line, "%s -Wl,--disable-new-dtags", flags);
  executable("in/rpath", line);
  snprintf(line, sizeof line, "%s -Wl,--enable-new-dtags", flags);
  executable("in/runpath", line);
  struct program_libraries *seen = libraries("in/rpath");
  assert_at(seen, "libinner.so", "/in/lib/libinner.so");
  assert_false(seen->incomplete);
  program_libraries_free(seen);
  seen = libraries("in/runpath");
  assert_at(seen, "libouter.so", "/in/lib/libouter.so");
  assert_at(seen, "libinner.so", NULL);
  assert_true(seen->incomplete);
  program_libraries_free(seen);
  assert_as_loader("in/rpath");
  assert_as_loader("in/runpath");
  /* A file with DT_RUNPATH inherits nothing. */
  library("in/lib/libouter.so", "", "in/lib/libinner.so -Wl,-rpath,/nonexistent -Wl,--enable-new-dtags");
  seen = libraries("in/rpath");
  assert_at(seen, "libinner.so", NULL);
  program_libraries_free(seen);
  assert_as_loader("in/rpath");
}

/* DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, in this order; an empty entry is the working directory. */
static void what_comes_first(void **state)
{
  (void)state;
  sh("mkdir -p or/own or/env");
  library("or/own/libx.so", "", "");
  library("or/env/libx.so", "", "");
  executable("or/rpath", "or/own/libx.so -Wl,-rpath,'$ORIGIN/own' -Wl,--disable-new-dtags");
  executable("or/runpath", "or/own/libx.so -Wl,-rpath,'$ORIGIN/own' -Wl,--enable-new-dtags");
  executable("or/nothing", "or/own/libx.so");
  char path[256];
  snprintf(path, sizeof path, "/nonexistent:%s/or/env", at_directory());
  static const struct {
    const char *program, *library_path, *found;
  } cases[] = {{"or/rpath", "", "/or/own/libx.so"},      {"or/rpath", "env", "/or/own/libx.so"},
               {"or/runpath", "", "/or/own/libx.so"},    {"or/runpath", "env", "/or/env/libx.so"},
               {"or/nothing", "env", "/or/env/libx.so"}, {"or/nothing", "", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("LD_LIBRARY_PATH", *cases[i].library_path ? path : "", 1);
    struct program_libraries *seen = libraries(cases[i].program);
    assert_at(seen, "libx.so", cases[i].found);
    program_libraries_free(seen);
    assert_as_loader(cases[i].program);
  }
  unsetenv("LD_LIBRARY_PATH");
  snprintf(path, sizeof path, "%s/or/env/libx.so", at_directory());
  setenv("LD_PRELOAD", path, 1);
  struct program_libraries *seen = libraries("or/rpath");
  assert_string_equal(seen->libraries[0].name, path);
  assert_string_equal(seen->libraries[0].asker, "LD_PRELOAD");
  unsetenv("LD_PRELOAD");
  program_libraries_free(seen);
}

/* A file of another kind in the way is passed over; libraries that need each other are an end, too. */
static void wrong_files_and_circles(void **state)
{
  (void)state;
  sh("mkdir -p odd/wrong odd/right");
  library("odd/right/libb.so", "", "");
  library("odd/right/liba.so", "", "odd/right/libb.so -Wl,-rpath,'$ORIGIN'");
  library("odd/right/libb.so", "", "odd/right/liba.so -Wl,-rpath,'$ORIGIN'");
  write_file("odd/wrong/liba.so", "INPUT(liba.so)\n", 15, 0644);
  executable("odd/program", "odd/right/liba.so odd/right/libb.so -Wl,-rpath,'$ORIGIN/wrong:$ORIGIN/right'");
  struct program_libraries *seen = libraries("odd/program");
  assert_at(seen, "liba.so", "/odd/right/liba.so");
  assert_int_equal(seen->count, 4); /* these, libc and the loader */
  program_libraries_free(seen);
}

static void runtimes_inside_the_program(void **state)
{
  (void)state;
  sh("mkdir in_it");
  sh("echo '" GOMP " int main(void) { return 0; }' | $CC -x c - -o in_it/dynamic");
  sh("echo '" GOMP " int main(void) { return 0; }' | $CC -static -x c - -o in_it/static");
  sh("echo 'const char *t = \"GOMP_SPINCOUNT\"; int main(void) { return t == 0; }' | $CC -s -static -x c - -o "
     "in_it/bare");
  sh("echo 'int main(void) { return 0; }' | $CC -static -x c - -o in_it/empty");
  static const struct {
    const char *program;
    bool is_static, by_text;
    enum openmp_runtime inside;
  } cases[] = {{"in_it/dynamic", false, false, RUNTIME_LIBGOMP},
               {"in_it/static", true, false, RUNTIME_LIBGOMP},
               {"in_it/bare", true, true, RUNTIME_LIBGOMP},
               {"in_it/empty", true, false, RUNTIME_NONE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct program_libraries *seen = libraries(cases[i].program);
    assert_int_equal(seen->is_static, cases[i].is_static);
    assert_int_equal(seen->inside, cases[i].inside);
    assert_int_equal(seen->inside_by_text, cases[i].by_text);
    program_libraries_free(seen);
  }
}

static void script(const char *path, const char *text)
{
  write_file(path, text, strlen(text), 0755);
}

static void scripts_are_followed(void **state)
{
  (void)state;
  char text[512], path[4096];
  sh("mkdir s");
  executable("s/program", "");
  executable("s/--x=y", ""); /* a setting of env's, no program */
  script("s/plain", "#!/bin/sh\nexit\n");
  script("s/bare", "exit\n");
  script("s/env", "#!/usr/bin/env program\n");
  script("s/env_s", "#! /usr/bin/env -S A=b program -x\n");
  snprintf(text, sizeof text, "#!%s/s/program -x\n", at_directory());
  script("s/direct", text);
  snprintf(text, sizeof text, "#!%s/s/direct\n", at_directory());
  script("s/twice", text);
  snprintf(text, sizeof text, "#!%s/s/circle\n", at_directory());
  script("s/circle", text);
  script("s/lost", "#!/nonexistent/sh\n");
  script("s/nobody", "#!\n");
  script("s/empty", "");
  const char *others = getenv("PATH");
  snprintf(path, sizeof path, "%s/s:%s", at_directory(), others);
  char *before = strdup(others);
  setenv("PATH", path, 1);
  static const struct {
    const char *script, *runs; /* NULL: unknown */
  } cases[] = {{"s/env", "/s/program"},   {"s/env_s", "/s/program"}, {"s/direct", "/s/program"},
               {"s/twice", "/s/program"}, {"s/circle", NULL},        {"s/lost", NULL},
               {"s/nobody", NULL},        {"twice", "/s/program"},   {"./s/twice", "/s/program"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct program_libraries *seen = libraries(cases[i].script);
    assert_non_null(seen->path);
    assert_true(seen->script);
    if (!cases[i].runs)
      assert_null(seen->executable);
    else
      assert_string_equal(strstr(seen->executable, "/s/"), cases[i].runs);
    program_libraries_free(seen);
  }
  static const char *const by_shell[] = {"plain", "bare", "empty"};
  char *shell = realpath("/bin/sh", NULL);
  for (size_t i = 0; i < 3; i++) {
    struct program_libraries *seen = libraries(by_shell[i]);
    assert_string_equal(seen->executable, shell);
    program_libraries_free(seen);
  }
  free(shell);
  setenv("PATH", before, 1);
  free(before);
}

static void what_may_not_be_executed(void **state)
{
  (void)state;
  executable("data", "");
  sh("chmod 644 data && mkdir -p dir first second && mkfifo fifo && cp data second/program && chmod 755 fifo "
     "second/program");
  sh("cp data first/program");
  static const char *const none[] = {"data", "./data", "./dir", "./fifo", "./nosuch", "", "nosuch-program"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    struct program_libraries *seen = libraries(none[i]);
    assert_null(seen->path);
    assert_null(seen->executable);
    assert_int_equal(seen->count, 0);
    program_libraries_free(seen);
  }
  char *before = strdup(getenv("PATH"));
  setenv("PATH", "first:second", 1);
  struct program_libraries *seen = libraries("program"); /* the first is passed over */
  assert_string_equal(seen->path, "second/program");
  setenv("PATH", before, 1);
  free(before);
  program_libraries_free(seen);
}

/* Programs that we did not build, as far as they are here. */
static void as_the_loader_finds_them(void **state)
{
  (void)state;
  static const char *const programs[] = {"/usr/bin/env",   "/usr/bin/gdb",  "/usr/bin/clang-19",
                                         "/usr/bin/cmake", "/usr/bin/java", "/usr/bin/python3"};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (access(programs[i], X_OK) == 0)
      assert_as_loader(programs[i]);
}

static void the_launcher_of_a_jvm(void **state)
{
  (void)state;
  library("libjli.so", "", "");
  executable("launcher", "libjli.so -Wl,-rpath,'$ORIGIN'");
  struct program_libraries *seen = libraries("./launcher");
  assert_true(seen->jvm);
  program_libraries_free(seen);
}

/* The loader ignores settings for these files. Only the super-user can change the owner of a file. */
static void set_user_id(void **state)
{
  (void)state;
  executable("ids", "");
  sh("chmod u+s ids");
  struct program_libraries *seen = libraries("./ids");
  assert_false(seen->secure); /* it is ours */
  program_libraries_free(seen);
  if (getuid() != 0)
    skip();
  sh("chown 65534 ids && chmod u+s ids");
  setenv("LD_PRELOAD", "libm.so.6", 1);
  seen = libraries("./ids");
  assert_true(seen->secure);
  for (size_t i = 0; i < seen->count; i++)
    assert_string_not_equal(seen->libraries[i].asker, "LD_PRELOAD");
  program_libraries_free(seen);
  unsetenv("LD_PRELOAD");
}

UNIT_TEST(launch)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runtimes_are_known_by_what_they_define),
      cmocka_unit_test(a_chain_is_followed),
      cmocka_unit_test(paths_are_inherited_as_the_loader_does),
      cmocka_unit_test(what_comes_first),
      cmocka_unit_test(wrong_files_and_circles),
      cmocka_unit_test(runtimes_inside_the_program),
      cmocka_unit_test(scripts_are_followed),
      cmocka_unit_test(what_may_not_be_executed),
      cmocka_unit_test(as_the_loader_finds_them),
      cmocka_unit_test(the_launcher_of_a_jvm),
      cmocka_unit_test(set_user_id),
  };
  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
