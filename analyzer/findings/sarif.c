#include "analyzer/findings/sarif.h"

#include "analyzer/command/print/escape.h"
#include "analyzer/command/print/json_writer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SARIF_SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/* The first result with the rule. */
static size_t first_of_rule(const struct sarif_result *results, size_t at)
{
  size_t first = 0;
  while (strcmp(results[first].rule, results[at].rule) != 0)
    first++;
  return first;
}

static void put_tool(struct json_writer *json, const struct sarif_result *results, size_t count)
{
  json_put_object(json, "tool");
  json_put_object(json, "driver");
  json_put_text(json, "name", "heddle");
  json_put_text(json, "version", HEDDLE_VERSION);
  json_put_array(json, "rules");
  for (size_t i = 0; i < count; i++) {
    if (first_of_rule(results, i) != i)
      continue;
    json_put_object(json, NULL);
    json_put_text(json, "id", results[i].rule);
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
  json_put_end(json);
}

/* A path in a URI, each byte that is not unreserved encoded. NULL: no memory. */
static char *sarif_uri(const char *path, const char *scheme)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  char *uri = malloc(strlen(scheme) + 3 * strlen(path) + 1), *at = uri;
  if (!uri)
    return NULL;
  at = stpcpy(at, scheme);
  for (; *path; path++) {
    if (strchr(plain, *path))
      *at++ = *path;
    else
      at += sprintf(at, "%%%02X", (unsigned)(unsigned char)*path);
  }
  *at = 0;
  return uri;
}

static bool sarif_put_place(struct json_writer *json, const struct sarif_result *result, const char *directory)
{
  size_t length = strlen(directory);
  bool absolute = *result->file == '/',
       below = absolute && length > 1 && strncmp(result->file, directory, length) == 0 && result->file[length] == '/';
  char *uri = sarif_uri(below ? result->file + length + 1 : result->file, absolute && !below ? "file://" : "");
  json_put_array(json, "locations");
  json_put_object(json, NULL);
  json_put_object(json, "physicalLocation");
  json_put_object(json, "artifactLocation");
  json_put_text(json, "uri", uri);
  if (!absolute || below)
    json_put_text(json, "uriBaseId", "%SRCROOT%");
  json_put_end(json);
  if (result->line > 0) {
    json_put_object(json, "region");
    json_put_count(json, "startLine", result->line);
    json_put_end(json);
  }
  json_put_end(json);
  json_put_end(json);
  json_put_end(json);
  bool good = uri;
  free(uri);
  return good;
}

static bool sarif_put_result(struct json_writer *json, const struct sarif_result *results, size_t at,
                             const char *directory)
{
  const struct sarif_result *result = &results[at];
  char *message = escape_text(result->message);
  size_t rule = 0;
  for (size_t i = 0; i < first_of_rule(results, at); i++)
    rule += first_of_rule(results, i) == i;
  json_put_object(json, NULL);
  json_put_text(json, "ruleId", result->rule);
  json_put_count(json, "ruleIndex", rule);
  json_put_text(json, "level", result->level);
  json_put_object(json, "message");
  json_put_text(json, "text", message);
  json_put_end(json);
  bool good = message && (!*result->file || sarif_put_place(json, result, directory));
  json_put_end(json);
  free(message);
  return good;
}

bool sarif_write(FILE *file, const struct sarif_result *results, size_t count)
{
  struct json_writer json = json_writer(file);
  char *directory = getcwd(NULL, 0);
  bool good = true;
  json_put_object(&json, NULL);
  json_put_text(&json, "$schema", SARIF_SCHEMA);
  json_put_text(&json, "version", "2.1.0");
  json_put_array(&json, "runs");
  json_put_object(&json, NULL);
  put_tool(&json, results, count);
  json_put_array(&json, "results");
  for (size_t i = 0; i < count && good; i++)
    good = sarif_put_result(&json, results, i, directory ? directory : "");
  json_put_end(&json);
  json_put_end(&json);
  json_put_end(&json);
  json_put_end(&json);
  fputc('\n', file);
  free(directory);
  return good && !json.failed;
}
