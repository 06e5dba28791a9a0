#include "otf2-convert/symbols/cxx_name.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST 4096u /* names of generated code grow to megabytes */

/* The C++ runtime's library has the one demangler that everybody keeps (cxxabi.h). It is loaded when a name of C++ is
 * met, so that building and running need no C++. The caller frees the result; NULL: it is no such name. */
typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);
static demangler *demangle;

static void load_demangler(void)
{
  void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  void *found = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;
  memcpy(&demangle, &found, sizeof demangle);
}

static bool ends_with_operator(const char *begin, const char *end)
{
  static const char word[] = "operator";
  size_t length = sizeof word - 1;
  return (size_t)(end - begin) >= length && strncmp(end - length, word, length) == 0;
}

/* The begin of the last group of parentheses that is on no other's inside: of the parameters. NULL: there is none. */
static char *parameters(char *name)
{
  char *found = NULL;
  int depth = 0;
  for (char *at = name + strlen(name); at-- > name;) {
    depth += (*at == ')') - (*at == '(');
    if (*at == '(' && depth == 0) {
      found = at;
      break;
    }
  }
  return found;
}

/* Where the name begins, behind the result of a template's function: after the last space that is in no brackets. */
static char *without_result(char *name)
{
  char *begin = name;
  int depth = 0;
  for (char *at = name; *at != 0; at++) {
    depth += (*at == '<' || *at == '(' || *at == '{') - (*at == '>' || *at == ')' || *at == '}');
    if (ends_with_operator(name, at)) /* operator<, operator new, operator(): all of the rest is the name */
      return begin;
    if (*at == ' ' && depth == 0)
      begin = at + 1;
  }
  return begin;
}

char *cxx_name(const char *linkage)
{
  int status;
  if (strncmp(linkage, "_Z", 2) != 0 || strlen(linkage) > LONGEST)
    return NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_demangler);
  char *name = demangle != NULL ? demangle(linkage, NULL, NULL, &status) : NULL;
  if (name == NULL)
    return NULL;
  char *clone = strstr(name, " [clone");
  if (clone != NULL)
    *clone = 0;
  char *end = parameters(name);
  if (end != NULL && end != name)
    *end = 0;
  char *begin = without_result(name);
  memmove(name, begin, strlen(begin) + 1);
  if (strlen(name) > LONGEST)
    name[LONGEST] = 0;
  return name;
}
