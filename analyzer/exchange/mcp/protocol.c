#include "analyzer/exchange/mcp/protocol.h"

#include "analyzer/exchange/mcp/tools.h"
#include "base/count_of.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_JSON = -32700, NO_REQUEST = -32600, NO_METHOD = -32601, WRONG_PARAMETERS = -32602, OWN_FAULT = -32603 };
enum { ID_MOST = 256, NAME_MOST = 64, CUT_LINE = 160 };

static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};

/* Takes the document. False: out of memory. */
static bool dump(json_t *document, char **answer)
{
  *answer = document ? json_dumps(document, JSON_COMPACT) : NULL;
  json_decref(document);
  return *answer;
}

/* Texts are UTF-8, but one may have been cut in a character: then its bytes are question marks. NULL: out of memory. */
static json_t *make_text(const char *text)
{
  json_t *value = json_string(text);
  char *copy = value ? NULL : strdup(text);
  if (!copy)
    return value;
  for (char *at = copy; *at; at++)
    if ((unsigned char)*at >= 0x80)
      *at = '?';
  value = json_string(copy);
  free(copy);
  return value;
}

static bool answer_error(const json_t *id, int code, const char *message, char **answer)
{
  return dump(json_pack("{s:s,s:o,s:{s:i,s:o}}", "jsonrpc", "2.0", "id", id ? json_deep_copy(id) : json_null(), "error",
                        "code", code, "message", make_text(message)),
              answer);
}

/* Takes the result. */
static bool answer_result(const json_t *id, json_t *result, char **answer)
{
  return dump(result ? json_pack("{s:s,s:o,s:o}", "jsonrpc", "2.0", "id", json_deep_copy(id), "result", result) : NULL,
              answer);
}

bool mcp_answer_too_long(char **answer)
{
  char text[64];
  snprintf(text, sizeof text, "a message has more than %d bytes", MCP_LINE_MOST);
  return answer_error(NULL, NO_REQUEST, text, answer);
}

static bool answer_initialize(const json_t *id, const json_t *parameters, char **answer)
{
  const char *wanted = json_string_value(json_object_get(parameters, "protocolVersion")), *version = versions[0];
  for (size_t i = 0; wanted && i < COUNT_OF(versions); i++)
    if (strcmp(wanted, versions[i]) == 0)
      version = versions[i];
  return answer_result(
      id,
      json_pack("{s:s,s:{s:{}},s:{s:s,s:s},s:s}", "protocolVersion", version, "capabilities", "tools", "serverInfo",
                "name", "heddle", "version", HEDDLE_VERSION, "instructions",
                "Answers about recorded runs of threaded programs (OpenMP, POSIX threads, Java). Begin "
                "with archives, then why; the other tools have the details of what why names."),
      answer);
}

/* How many bytes a byte of a text takes in JSON. */
static size_t json_bytes(unsigned char c)
{
  return c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f' ? 2 : c < 0x20 ? 6 : 1;
}

/* Cuts the answer at the end of a line, so that it takes at most `room` bytes in JSON, and says so. False: out of
 * memory. */
static bool cut(struct tool_answer *answer, size_t room)
{
  size_t length = strlen(answer->text), taken = 0, keep = 0, at = 0;
  for (; at < length && taken <= room - CUT_LINE; at++) {
    taken += json_bytes((unsigned char)answer->text[at]);
    if (answer->text[at] == '\n')
      keep = at + 1;
  }
  for (size_t rest = at; rest < length; rest++)
    taken += json_bytes((unsigned char)answer->text[rest]);
  if (taken <= room && answer->size <= length)
    return true;
  if (keep == 0) /* one line that is too long */
    for (keep = at > 0 ? at - 1 : 0; keep > 0 && ((unsigned char)answer->text[keep] & 0xc0) == 0x80;)
      keep--;
  char *text = NULL;
  if (asprintf(&text, "%.*s%s[cut: %zu of %zu bytes; ask about less: from, to, threads, or another tool]", (int)keep,
               answer->text, keep > 0 && answer->text[keep - 1] != '\n' ? "\n" : "", keep, answer->size) < 0)
    return false;
  free(answer->text);
  answer->text = text;
  return true;
}

static json_t *call_result(const char *text, bool failed)
{
  json_t *value = make_text(text);
  return value ? json_pack("{s:[{s:s,s:o}],s:b}", "content", "type", "text", "text", value, "isError", (int)failed)
               : NULL;
}

/* How many bytes an answer has for the text. */
static bool room_of(const json_t *id, size_t *room)
{
  char *empty;
  if (!answer_result(id, call_result("", false), &empty))
    return false;
  *room = MCP_ANSWER_MOST - 2 - strlen(empty);
  free(empty);
  return true;
}

static bool answer_call(const struct served *served, const json_t *id, const json_t *parameters, char **answer)
{
  const char *name = json_string_value(json_object_get(parameters, "name"));
  json_t *arguments = json_object_get(parameters, "arguments"), *none = NULL;
  char message[NAME_MOST + 64];
  struct tool_answer said;
  struct error error;
  size_t room;
  if (!name || strlen(name) > NAME_MOST || !tools_have(name)) {
    snprintf(message, sizeof message, "there is no tool %.*s", NAME_MOST, name ? name : "without a name");
    return answer_error(id, WRONG_PARAMETERS, message, answer);
  }
  if (arguments && !json_is_object(arguments))
    return answer_error(id, WRONG_PARAMETERS, "arguments: must be an object", answer);
  if (!room_of(id, &room) || (!arguments && !(none = json_object())))
    return false;
  bool called = tools_call(served, name, arguments ? arguments : none, &said, &error);
  json_decref(none);
  /* A model reads the errors of a tool, and asks again. */
  if (!called)
    said = (struct tool_answer){strdup(error.message), strlen(error.message), true};
  bool good = said.text && cut(&said, room) && answer_result(id, call_result(said.text, said.failed), answer);
  free(said.text);
  return good;
}

static bool answer_method(const struct served *served, const json_t *id, const char *method, const json_t *parameters,
                          char **answer)
{
  char message[NAME_MOST + 64];
  if (strcmp(method, "initialize") == 0)
    return answer_initialize(id, parameters, answer);
  if (strcmp(method, "ping") == 0)
    return answer_result(id, json_object(), answer);
  if (strcmp(method, "tools/list") == 0) {
    json_t *list = tools_list();
    return answer_result(id, list ? json_pack("{s:o}", "tools", list) : NULL, answer);
  }
  if (strcmp(method, "tools/call") == 0)
    return answer_call(served, id, parameters, answer);
  snprintf(message, sizeof message, "there is no method %.*s", NAME_MOST, method);
  return answer_error(id, NO_METHOD, message, answer);
}

/* Whether objects and arrays are nested deeper than MCP_DEPTH_MOST: a parser would need a stack for them. */
static bool is_deep(const char *message, size_t length)
{
  unsigned depth = 0;
  bool text = false;
  for (size_t i = 0; i < length; i++) {
    char c = message[i];
    if (text && c == '\\')
      i++;
    else if (c == '"')
      text = !text;
    else if (!text && (c == '{' || c == '['))
      depth++;
    else if (!text && (c == '}' || c == ']') && depth > 0)
      depth--;
    if (depth > MCP_DEPTH_MOST)
      return true;
  }
  return false;
}

static bool is_id(const json_t *id)
{
  return json_is_integer(id) || json_is_real(id) || (json_is_string(id) && json_string_length(id) <= ID_MOST);
}

bool mcp_answer(const struct served *served, const char *message, size_t length, char **answer)
{
  json_error_t where;
  *answer = NULL;
  if (is_deep(message, length))
    return answer_error(NULL, NO_REQUEST, "objects and arrays are nested too deeply", answer);
  json_t *request = json_loadb(message, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &where);
  if (!request)
    return answer_error(NULL, NOT_JSON, "a message is not JSON", answer);
  const char *version = json_string_value(json_object_get(request, "jsonrpc"));
  const char *method = json_string_value(json_object_get(request, "method"));
  const json_t *id = json_object_get(request, "id"), *parameters = json_object_get(request, "params");
  bool good = true;
  if (!version || strcmp(version, "2.0") != 0 || !method || (id && !is_id(id)) ||
      (parameters && !json_is_object(parameters) && !json_is_array(parameters)))
    good = answer_error(id && is_id(id) ? id : NULL, NO_REQUEST, "a message is no request of JSON-RPC 2.0", answer);
  else if (id) /* without one it is a notification: no answer, and nothing to do */
    good = answer_method(served, id, method, parameters, answer);
  json_decref(request);
  return good;
}
