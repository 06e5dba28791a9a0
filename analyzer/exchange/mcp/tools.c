#include "analyzer/exchange/mcp/tools.h"

#include "analyzer/exchange/mcp/isolated.h"
#include "base/count_of.h"
#include "base/vector.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_MOST = 256, ARCHIVES_MOST = 32, TOP_MOST = 1000 };

/* The arguments that a tool takes. */
enum {
  TAKES_ARCHIVE = 1, /* with from, to and threads */
  TAKES_TOP = 2,
  TAKES_FUNCTION = 4,
  TAKES_VERSIONS = 8
};

struct tool {
  const char *name, *about;
  const char *command; /* NULL: no command */
  unsigned takes;
  const char *ends_before; /* only what the command prints before a line that begins so; NULL: all */
};

static const struct tool tools[] = {
    {"archives", "Lists the recorded runs (archives) that can be asked about.", NULL, 0, NULL},
    {"why",
     "Why a run is slow, with places (file:line) and threads, what is ruled out, and what to do. It begins with the "
     "largest cause and the account of all processors' time. Begin with this tool.",
     "why", TAKES_ARCHIVE, NULL},
    {"account",
     "What the processors' time went to: work, imbalance, serial parts, synchronization, waiting for processors, ... "
     "The shares add up to 100 %.",
     "why", TAKES_ARCHIVE, "Why "},
    {"imbalance", "Constructs (loops, barriers, regions) whose threads wait for the slowest one, and what this costs.",
     "imbalance", TAKES_ARCHIVE, NULL},
    {"locks", "Locks and critical sections that threads waited for, who held them, and at which lines.", "locks",
     TAKES_ARCHIVE | TAKES_TOP, NULL},
    {"waits", "Where threads waited, and which thread ended each wait at which line.", "waits",
     TAKES_ARCHIVE | TAKES_TOP, NULL},
    {"tasks", "OpenMP tasks and tasks of pools: how many, how long they waited and ran, and how parallel they can be.",
     "tasks", TAKES_ARCHIVE, NULL},
    {"calls", "Functions that the threads ran, by samples or exact calls. callers: what called this function.", "calls",
     TAKES_ARCHIVE | TAKES_TOP | TAKES_FUNCTION, NULL},
    {"compare", "What became slower or faster between two versions of a program: tests on recorded runs of each.",
     "compare", TAKES_VERSIONS, NULL}};

/* The texts of a command line as it grows. */
struct words {
  VECTOR(char *) list;
};

static void words_free(struct words *words)
{
  for (size_t i = 0; i < words->list.count; i++)
    free(words->list.items[i]);
  vector_free(&words->list);
}

/* Takes the word. False: out of memory; also if the word is NULL. */
static bool words_add(struct words *words, char *word, struct error *error)
{
  if (word && vector_push(&words->list, word))
    return true;
  free(word);
  return error_set(error, "out of memory");
}

static const struct tool *find_tool(const char *name)
{
  for (size_t i = 0; i < COUNT_OF(tools); i++)
    if (strcmp(tools[i].name, name) == 0)
      return &tools[i];
  return NULL;
}

bool tools_have(const char *name)
{
  return find_tool(name);
}

static bool add_text(json_t *properties, const char *name, const char *about)
{
  return json_object_set_new(properties, name, json_pack("{s:s,s:s}", "type", "string", "description", about)) == 0;
}

static bool add_archives(json_t *properties, const char *name, const char *about)
{
  return json_object_set_new(
             properties, name,
             json_pack("{s:s,s:s,s:{s:s}}", "type", "array", "description", about, "items", "type", "string")) == 0;
}

/* The description of a tool, with the schema of its arguments. NULL: out of memory. */
static json_t *describe_tool(const struct tool *tool)
{
  json_t *properties = json_object(), *required = json_array();
  bool good = properties && required;
  if (good && tool->takes & TAKES_ARCHIVE)
    good = add_text(properties, "archive", "the trace's directory") &&
           add_text(properties, "from", "only the run from this time on: 1.5s, 300ms, 25%") &&
           add_text(properties, "to", "only the run before this time") &&
           add_text(properties, "threads", "only these threads, by number: 0-3,7") &&
           json_array_append_new(required, json_string("archive")) == 0;
  if (good && tool->takes & TAKES_TOP)
    good = json_object_set_new(properties, "top", json_pack("{s:s}", "type", "integer")) == 0;
  if (good && tool->takes & TAKES_FUNCTION)
    good = add_text(properties, "callers", "a function");
  if (good && tool->takes & TAKES_VERSIONS)
    good = add_archives(properties, "old", "directories of the old version's runs") &&
           add_archives(properties, "new", "directories of the new version's runs") &&
           json_array_append_new(required, json_string("old")) == 0 &&
           json_array_append_new(required, json_string("new")) == 0;
  json_t *tool_json = good ? json_pack("{s:s,s:s,s:{s:s,s:O,s:O},s:{s:b}}", "name", tool->name, "description",
                                       tool->about, "inputSchema", "type", "object", "properties", properties,
                                       "required", required, "annotations", "readOnlyHint", 1)
                           : NULL;
  json_decref(properties);
  json_decref(required);
  return tool_json;
}

json_t *tools_list(void)
{
  json_t *list = json_array();
  bool good = list;
  for (size_t i = 0; good && i < COUNT_OF(tools); i++)
    good = json_array_append_new(list, describe_tool(&tools[i])) == 0;
  if (good)
    return list;
  json_decref(list);
  return NULL;
}

/* A text without surprises for a command line. NULL: an error. */
static const char *text_value(const char *key, const json_t *value, struct error *error)
{
  const char *text = json_string_value(value);
  if (text && *text && json_string_length(value) <= VALUE_MOST)
    return text;
  error_set(error, "%s: must be a text of 1 to %u bytes", key, VALUE_MOST);
  return NULL;
}

static bool add_option(struct words *words, const char *option, const char *key, const json_t *value,
                       struct error *error)
{
  char *word = NULL;
  if (!value)
    return true;
  const char *text = text_value(key, value, error);
  return text && words_add(words, asprintf(&word, "--%s=%s", option, text) < 0 ? NULL : word, error);
}

/* `key`: the argument's name, for messages. */
static bool add_archive(struct words *words, const struct served *served, const char *key, const json_t *value,
                        struct error *error)
{
  const char *path = json_string_value(value);
  if (!path || !*path)
    return error_set(error, "%s: must be the path of a trace's directory", key);
  char *real = served_find(served, path, error);
  return real && words_add(words, real, error);
}

static bool add_version(struct words *words, const struct served *served, const char *key, const json_t *list,
                        struct error *error)
{
  size_t count = json_array_size(list);
  if (count == 0 || count > ARCHIVES_MOST)
    return error_set(error, "%s: must be a list of 1 to %u directories", key, ARCHIVES_MOST);
  for (size_t i = 0; i < count; i++)
    if (!add_archive(words, served, key, json_array_get(list, i), error))
      return false;
  return true;
}

static bool add_top(struct words *words, const json_t *value, struct error *error)
{
  char *word = NULL;
  json_int_t top = json_integer_value(value);
  if (!value)
    return true;
  if (!json_is_integer(value) || top < 1 || top > TOP_MOST)
    return error_set(error, "top: must be a whole number from 1 to %u", TOP_MOST);
  return words_add(words, asprintf(&word, "--top=%d", (int)top) < 0 ? NULL : word, error);
}

static bool are_known(const struct tool *tool, const json_t *arguments, struct error *error)
{
  static const struct {
    const char *key;
    unsigned of;
  } known[] = {{"archive", TAKES_ARCHIVE}, {"from", TAKES_ARCHIVE}, {"to", TAKES_ARCHIVE},
               {"threads", TAKES_ARCHIVE}, {"top", TAKES_TOP},      {"callers", TAKES_FUNCTION},
               {"old", TAKES_VERSIONS},    {"new", TAKES_VERSIONS}};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)arguments, key, value)
  {
    bool found = false;
    for (size_t i = 0; i < COUNT_OF(known); i++)
      found |= (known[i].of & tool->takes) != 0 && strcmp(key, known[i].key) == 0;
    if (!found)
      return error_set(error, "%s: %s has no such argument", key, tool->name);
  }
  return true;
}

/* The command line: options, and then paths, which are absolute. */
static bool make_words(const struct tool *tool, const struct served *served, const json_t *arguments,
                       struct words *words, struct error *error)
{
  bool good = are_known(tool, arguments, error) && words_add(words, strdup(tool->command), error);
  if (good && tool->takes & TAKES_FUNCTION)
    good = add_option(words, "callers", "callers", json_object_get(arguments, "callers"), error);
  if (good && tool->takes & TAKES_TOP)
    good = add_top(words, json_object_get(arguments, "top"), error);
  if (good && tool->takes & TAKES_ARCHIVE)
    good = add_option(words, "from", "from", json_object_get(arguments, "from"), error) &&
           add_option(words, "to", "to", json_object_get(arguments, "to"), error) &&
           add_option(words, "only-threads", "threads", json_object_get(arguments, "threads"), error) &&
           add_archive(words, served, "archive", json_object_get(arguments, "archive"), error);
  if (good && tool->takes & TAKES_VERSIONS)
    good = add_version(words, served, "old", json_object_get(arguments, "old"), error) &&
           words_add(words, strdup("--"), error) &&
           add_version(words, served, "new", json_object_get(arguments, "new"), error);
  return good;
}

/* Keeps what stands before the first line that begins with `word`. */
static void end_before(struct tool_answer *answer, const char *word)
{
  for (char *line = answer->text; *line; line++)
    if ((line == answer->text || line[-1] == '\n') && strncmp(line, word, strlen(word)) == 0) {
      while (line > answer->text && line[-1] == '\n')
        line--;
      *line = '\0';
      answer->size = strlen(answer->text);
      return;
    }
}

bool tools_call(const struct served *served, const char *name, const json_t *arguments, struct tool_answer *answer,
                struct error *error)
{
  const struct tool *tool = find_tool(name);
  *answer = (struct tool_answer){.text = NULL};
  if (!tool->command) {
    if (!are_known(tool, arguments, error))
      return false;
    answer->text = served_list(served);
    answer->size = answer->text ? strlen(answer->text) : 0;
    return answer->text || error_set(error, "out of memory");
  }
  struct words words = {{0}};
  struct isolated isolated;
  bool good = make_words(tool, served, arguments, &words, error) &&
              isolated_run(served, (int)words.list.count, words.list.items, &isolated, error);
  words_free(&words);
  if (!good)
    return false;
  *answer = (struct tool_answer){isolated.text, isolated.size, isolated.failed};
  if (tool->ends_before && !answer->failed)
    end_before(answer, tool->ends_before);
  return true;
}
