/*
 * libFuzzer target: a message to `heddle mcp`, as any client may send it. The answer is one line of JSON-RPC that is
 * not too long; a command gets options and paths of served archives, and nothing else.
 *
 * An input is the message, a line feed, and what the command prints, which is repeated if it ends in a line feed.
 */
#include "analyzer/exchange/mcp/isolated.h"
#include "analyzer/exchange/mcp/protocol.h"

#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REPEATS 64

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct served served;
static char root[] = "/tmp/heddle-fuzz-XXXXXX";
static const uint8_t *output;
static size_t output_size;

static void need(bool holds, const char *what)
{
  if (holds)
    return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void make(const char *name, bool is_file)
{
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = is_file ? fopen(path, "w") : NULL;
  need(is_file ? file && fclose(file) == 0 : mkdir(path, 0700) == 0, path);
}

static void remove_all(void)
{
  char command[64];
  served_free(&served);
  snprintf(command, sizeof command, "rm -r '%s'", root);
  if (system(command) != 0)
    perror(root);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
  struct error error;
  char path[PATH_MAX];
  (void)count;
  (void)arguments;
  need(mkdtemp(root), "mkdtemp");
  make("served", false);
  make("served/run", false);
  make("served/run/traces.otf2", true);
  make("hidden", false);
  make("hidden/traces.otf2", true);
  snprintf(path, sizeof path, "%s/served", root);
  need(served_add(&served, path, &error), "served_add");
  char link[PATH_MAX + 8];
  snprintf(link, sizeof link, "%s/out", path);
  need(symlink("../hidden", link) == 0, "symlink");
  atexit(remove_all);
  return 0;
}

/* In place of a process. */
bool isolated_run(const struct served *of, int count, char *const *words, struct isolated *result, struct error *error)
{
  bool paths = false;
  (void)error;
  need(count > 1 && words[0][0] != '-', "a command");
  for (int i = 1; i < count; i++) {
    bool option = !paths && strncmp(words[i], "--", 2) == 0 && words[i][2] != '\0' && strchr(words[i], '=');
    size_t length = strlen(of->roots[0]);
    bool path = strncmp(words[i], of->roots[0], length) == 0 && (words[i][length] == '/' || words[i][length] == '\0') &&
                !strstr(words[i], "/..");
    bool between = paths && strcmp(words[i], "--") == 0;
    need(option || path || between, words[i]);
    paths |= path;
  }
  bool repeated = output_size > 0 && output[output_size - 1] == '\n';
  size_t times = repeated ? REPEATS : 1;
  result->text = calloc(times * output_size + 1, 1);
  for (size_t i = 0; i < times; i++)
    memcpy(result->text + i * output_size, output, output_size);
  result->size = strlen(result->text);
  result->failed = output_size > 0 && output[0] == '!';
  return true;
}

static void check_answer(const char *answer, const json_t *request)
{
  json_t *said = json_loads(answer, JSON_REJECT_DUPLICATES, NULL);
  const json_t *id = json_object_get(said, "id");
  need(strlen(answer) < MCP_ANSWER_MOST && !strchr(answer, '\n'), "a line that is not too long");
  need(json_is_object(said) && json_object_size(said) == 3 && id, "three members");
  need(!json_object_get(said, "result") != !json_object_get(said, "error"), "a result or an error");
  need(!json_object_get(said, "result") || json_equal(id, json_object_get(request, "id")), "the id of the request");
  const json_t *content = json_array_get(json_object_get(json_object_get(said, "result"), "content"), 0);
  need(!content || json_string_value(json_object_get(content, "text")), "a text");
  json_decref(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const uint8_t *end = memchr(data, '\n', size);
  size_t length = end ? (size_t)(end - data) : size;
  char *answer;
  output = end ? end + 1 : data + size;
  output_size = size - (size_t)(output - data);
  if (length > MCP_LINE_MOST)
    return 0;
  /* exactly as long, so that a read behind it is seen */
  char *message = malloc(length + !length);
  memcpy(message, data, length);
  json_t *request = json_loadb(message, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, NULL);
  need(mcp_answer(&served, message, length, &answer), "out of memory");
  need(answer || (json_is_object(request) && !json_object_get(request, "id")), "an answer");
  if (answer)
    check_answer(answer, request);
  free(answer);
  json_decref(request);
  free(message);
  return 0;
}
