/* The table of commands: what is printed from it, and the documents that say the same by hand. */
#include "analyzer/models/transforms/transforms.h"
#include "analyzer/table.h"
#include "tests/unit/analyzer/program.h"
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 80, NAME_SIZE = 32, LINE_MOST = 120 };

/* Options as people write them: "--output", "-o". */
struct names {
  char list[NAMES_MOST][NAME_SIZE];
  size_t count;
};

static bool has(const struct names *names, const char *name)
{
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->list[i], name) == 0)
      return true;
  return false;
}

static void add(struct names *names, const char *name, size_t length)
{
  assert_true(names->count < NAMES_MOST && length < NAME_SIZE);
  memcpy(names->list[names->count], name, length);
  names->list[names->count++][length] = '\0';
}

static struct names table_options(const struct command *command)
{
  struct names names = {.count = 0};
  char text[NAME_SIZE];
  add(&names, "--help", 6);
  add(&names, "-h", 2);
  for (int i = 0; i < OPTION_SETS; i++)
    for (const struct command_option *option = command->options[i].list; option && option->name; option++) {
      add(&names, text, (size_t)snprintf(text, sizeof text, "--%s", option->name));
      if (option->letter)
        add(&names, text, (size_t)snprintf(text, sizeof text, "-%c", option->letter));
    }
  return names;
}

static void must_be_the_same(const char *command, const char *one, const struct names *left, const char *other,
                             const struct names *right)
{
  for (size_t i = 0; i < left->count; i++)
    if (!has(right, left->list[i]))
      fail_msg("%s: %s is in %s and not in %s", command, left->list[i], one, other);
  for (size_t i = 0; i < right->count; i++)
    if (!has(left, right->list[i]))
      fail_msg("%s: %s is in %s and not in %s", command, right->list[i], other, one);
}

static size_t name_length(const char *text)
{
  return strspn(text, "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

/* The options of a help: those at the beginning of a line, before the two spaces that end what an option is. */
static struct names help_options(const char *help)
{
  struct names names = {.count = 0};
  for (const char *line = strchr(help, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
    const char *at = line + 1 + strspn(line + 1, " ");
    if (at - line - 1 > 6 || *at != '-')
      continue;
    add(&names, at, name_length(at));
    if (strncmp(at + 2, ", --", 4) == 0)
      add(&names, at + 4, name_length(at + 4));
  }
  return names;
}

static void entries_are_whole(void **state)
{
  (void)state;
  for (size_t i = 0; i < command_table_size; i++) {
    const struct command *command = command_table[i];
    struct names names = table_options(command);
    assert_true(*command->summary && *command->synopsis && *command->about && command->run);
    assert_true(command->group < COMMAND_GROUPS);
    for (size_t k = 0; k < names.count; k++)
      for (size_t l = 0; l < k; l++)
        if (strcmp(names.list[k], names.list[l]) == 0)
          fail_msg("heddle %s has two options %s", command->name, names.list[k]);
    for (size_t k = 0; k < i; k++)
      assert_string_not_equal(command->name, command_table[k]->name);
    for (int set = 0; set < OPTION_SETS; set++)
      for (const struct command_option *option = command->options[set].list; option && option->name; option++)
        if (!*option->help || (!option->take && command != &command_convert))
          fail_msg("heddle %s --%s lacks help or a function", command->name, option->name);
  }
}

static void help_of_every_command(void **state)
{
  (void)state;
  static struct outcome all, o;
  char text[256];
  run(&all, KEEP_OUTPUT, "help all");
  assert_int_equal(all.status, 0);
  for (size_t i = 0; i < command_table_size; i++) {
    const struct command *command = command_table[i];
    snprintf(text, sizeof text, "\n  %-10s  %s\n", command->name, command->summary);
    assert_non_null(strstr(all.out, text));
    run(&o, KEEP_OUTPUT, "%s -h", command->name);
    assert_int_equal(o.status, 0);
    run(&o, KEEP_OUTPUT, "%s --help", command->name);
    assert_int_equal(o.status, 0);
    snprintf(text, sizeof text, "Usage: heddle %s %s\n", command->name, command->synopsis);
    assert_int_equal(strncmp(o.out, text, strlen(text)), 0);
    for (const char *line = o.out; *line; line += strcspn(line, "\n") + 1)
      if (strcspn(line, "\n") > LINE_MOST)
        fail_msg("heddle %s --help: a line is too long: %.*s", command->name, (int)strcspn(line, "\n"), line);
    struct names table = table_options(command), help = help_options(o.out);
    must_be_the_same(command->name, "the table", &table, "the help", &help);
  }
}

/* What a new user sees is short, and the same without arguments. */
static void first_help_has_eight_commands(void **state)
{
  (void)state;
  static struct outcome help, none, o;
  size_t listed = 0;
  run(&help, KEEP_OUTPUT, "--help");
  assert_int_equal(help.status, 0);
  run(&none, KEEP_ERRORS, " ");
  assert_int_equal(none.status, 2);
  assert_string_equal(help.out, none.out);
  for (size_t i = 0; i < command_table_size; i++) {
    char text[256];
    snprintf(text, sizeof text, "\n  %-8s  %s\n", command_table[i]->name, command_table[i]->summary);
    listed += strstr(help.out, text) != NULL;
  }
  assert_int_equal(listed, 8);
  assert_non_null(strstr(help.out, "heddle help all"));
  run(&o, KEEP_OUTPUT, "help states");
  assert_int_equal(strncmp(o.out, "Usage: heddle states ", 21), 0);
  run(&o, KEEP_ERRORS, "help nosuch");
  assert_int_equal(o.status, 2);
}

static void mistakes_are_said(void **state)
{
  (void)state;
  struct outcome o;
  for (size_t i = 0; i < command_table_size; i++) {
    run(&o, KEEP_ERRORS, "%s --nosuchoption", command_table[i]->name);
    assert_int_equal(o.status, 2);
    assert_one_line(o.out);
    for (int set = 0; set < OPTION_SETS; set++)
      for (const struct command_option *option = command_table[i]->options[set].list; option && option->name;
           option++) {
        const char *value = command_option_value(option);
        if (value && *value == '[')
          continue;
        run(&o, KEEP_ERRORS, "%s --%s%s", command_table[i]->name, option->name, value ? "" : "=x");
        if (o.status != 2)
          fail_msg("heddle %s --%s: exit status %d", command_table[i]->name, option->name, o.status);
        assert_one_line(o.out);
      }
  }
}

/* heddle-convert is another program, with a list of its own. */
static void convert_knows_the_converter(void **state)
{
  (void)state;
  static char help[1 << 14];
  FILE *pipe = popen(HEDDLE_CONVERTER " --help", "r");
  assert_non_null(pipe);
  help[fread(help, 1, sizeof help - 1, pipe)] = '\0';
  assert_int_equal(pclose(pipe), 0);
  struct names table = table_options(&command_convert), converter = help_options(help);
  must_be_the_same("convert", "the table", &table, "heddle-convert --help", &converter);
}

static void transform_has_all_steps(void **state)
{
  (void)state;
  struct names table = table_options(&command_transform);
  char text[NAME_SIZE];
  size_t steps = 0;
  for (; transforms_keyword(steps); steps++) {
    snprintf(text, sizeof text, "--%s", transforms_keyword(steps));
    assert_true(has(&table, text));
  }
  assert_true(steps > 8);
}

static char *read_document(const char *name)
{
  static char text[1 << 17];
  char path[512];
  snprintf(path, sizeof path, HEDDLE_SOURCES "/%s", name);
  FILE *file = fopen(path, "r");
  if (!file)
    fail_msg("%s is missing", path);
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  assert_true(size < sizeof text - 1);
  text[size] = '\0';
  return text;
}

/* In a manual page an option is a term: "**-o**, **--output** *FILE*", and ":   ..." on the next line. */
static struct names page_options(const char *page)
{
  struct names names = {.count = 0};
  for (const char *line = page; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
    size_t length = strcspn(line, "\n");
    if (strncmp(line, "**-", 3) != 0 || line[length] == '\0' || line[length + 1] != ':')
      continue;
    for (const char *at = line; at < line + length; at++)
      if (strncmp(at, "**-", 3) == 0) {
        size_t size = name_length(at + 2);
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", (int)size, at + 2);
        if (!has(&names, name))
          add(&names, name, size);
      }
  }
  return names;
}

static void manual_pages_begin_with_the_summary(void **state)
{
  (void)state;
  char name[64], begin[256];
  for (size_t i = 0; i < command_table_size; i++) {
    const struct command *command = command_table[i];
    snprintf(name, sizeof name, "docs/heddle-%s.1.md", command->name);
    snprintf(begin, sizeof begin, "# NAME\n\nheddle-%s - %s\n", command->name, command->summary);
    if (strncmp(read_document(name), begin, strlen(begin)) != 0)
      fail_msg("%s does not begin with: %s", name, begin);
  }
}

static void manual_pages_have_the_options(void **state)
{
  (void)state;
  char name[64];
  for (size_t i = 0; i < command_table_size; i++) {
    snprintf(name, sizeof name, "docs/heddle-%s.1.md", command_table[i]->name);
    struct names table = table_options(command_table[i]), page = page_options(read_document(name));
    must_be_the_same(command_table[i]->name, "the table", &table, name, &page);
  }
}

static void indexes_have_the_commands(void **state)
{
  (void)state;
  char text[128];
  for (size_t i = 0; i < command_table_size; i++) {
    const char *name = command_table[i]->name;
    snprintf(text, sizeof text, "(heddle-%s.1.md)", name);
    if (!strstr(read_document("docs/README.md"), text))
      fail_msg("docs/README.md does not list heddle %s: %s", name, text);
    snprintf(text, sizeof text, "heddle-%s(1)", name);
    if (!strstr(read_document("docs/heddle.1.md"), text))
      fail_msg("docs/heddle.1.md does not list heddle %s: %s", name, text);
  }
}

static void completes(const char *words, const char *expected)
{
  struct outcome o;
  run(&o, KEEP_OUTPUT, "--complete %s", words);
  assert_int_equal(o.status, 0);
  assert_string_equal(o.out, expected);
}

static void completion_comes_from_the_table(void **state)
{
  (void)state;
  static struct outcome o;
  char text[64];
  run(&o, KEEP_OUTPUT, "--complete ''");
  for (size_t i = 0; i < command_table_size; i++) {
    snprintf(text, sizeof text, "%s\n", command_table[i]->name);
    assert_non_null(strstr(o.out, text));
  }
  completes("st", "start\nstop\nstates\n");
  completes("--v", "--version\n");
  completes("states --l", "--list\n--level\n");
  completes("states --level ''", "model\nthreads\n");
  completes("states --by ''", "thread\nregion\n");
  completes("states --by r", "region\n");
  completes("states --by =", "thread\nregion\n");
  completes("states --by = t", "thread\n");
  completes("states --list ''", "");
  completes("states ''", "");
  completes("detach --keep-raw --n", "--no-convert\n");
  completes("export -o out --to pa", "paraver\npaje\n");
  completes("nosuch --", "");
}

UNIT_TEST(command_table)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_are_whole),
      cmocka_unit_test(help_of_every_command),
      cmocka_unit_test(first_help_has_eight_commands),
      cmocka_unit_test(mistakes_are_said),
      cmocka_unit_test(convert_knows_the_converter),
      cmocka_unit_test(transform_has_all_steps),
      cmocka_unit_test(manual_pages_have_the_options),
      cmocka_unit_test(manual_pages_begin_with_the_summary),
      cmocka_unit_test(indexes_have_the_commands),
      cmocka_unit_test(completion_comes_from_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
