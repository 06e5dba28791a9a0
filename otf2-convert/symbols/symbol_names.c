#include "otf2-convert/symbols/symbol_names.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"
#include "common/raw/raw_trace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool source_name_ends_with(const char *text, size_t n, const char *suffix)
{
  size_t m = strlen(suffix);
  return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

/* Cuts "<mark><digits>" or "<mark>" off the end. */
static bool cut(char *name, const char *mark, bool numbered)
{
  size_t n = strlen(name), digits = 0;
  while (numbered && digits < n && name[n - digits - 1] >= '0' && name[n - digits - 1] <= '9')
    digits++;
  if ((numbered && digits == 0) || !source_name_ends_with(name, n - digits, mark) || n - digits == strlen(mark))
    return false;
  name[n - digits - strlen(mark)] = 0;
  return true;
}

/* gfortran: __module_MOD_procedure; name_ of an external procedure. flang: _QMmodulePprocedure, _QPprocedure, _QQmain.
 */
static void undo_fortran(char *name)
{
  char *at;
  if (strncmp(name, "__", 2) == 0 && (at = strstr(name + 2, "_MOD_")) != NULL && at > name + 2) {
    memmove(at + 2, at + 5, strlen(at + 5) + 1);
    at[0] = at[1] = ':';
    memmove(name, name + 2, strlen(name + 2) + 1);
  } else if (strcmp(name, "_QQmain") == 0) {
    strcpy(name, "main");
  } else if (strncmp(name, "_QM", 3) == 0 && (at = strchr(name + 3, 'P')) != NULL && at > name + 3) {
    size_t module = (size_t)(at - (name + 3)), rest = strlen(at + 1) + 1;
    memmove(name, name + 3, module);
    char *to = name + module; /* three bytes went, two come: it fits */
    memmove(to + 2, at + 1, rest);
    to[0] = to[1] = ':';
  } else if (strncmp(name, "_QP", 3) == 0 && name[3] != 0) {
    memmove(name, name + 3, strlen(name + 3) + 1);
  } else {
    size_t n = strlen(name);
    if (n > 1 && name[n - 1] == '_' && name[n - 2] != '_' && name[0] != '_')
      name[n - 1] = 0;
  }
}

void source_name(char *name)
{
  static const struct {
    const char *mark;
    bool numbered;
  } marks[] = {{".cold", false},           {".constprop.", true},
               {".isra.", true},           {".part.", true},
               {"._omp_fn.", true},        {"._loopfn.", true},
               {"._omp_cpyfn.", true},     {".omp_outlined", false},
               {".omp_outlined.", true},   {"_debug__", false},
               {"..omp_par.", true},       {"..omp_par", false},
               {".omp_par.", true},        {".omp_task_entry.", true},
               {".omp_task_entry", false}, {".omp_outlined_debug__", false},
               {".lto_priv.", true},       {".llvm.", true}};
  for (bool again = true; again;) {
    again = false;
    for (size_t i = 0; i < COUNT_OF(marks); i++)
      again = cut(name, marks[i].mark, marks[i].numbered) || again;
    if (!again && source_name_ends_with(name, strlen(name), ".omp_outlined."))
      again = (name[strlen(name) - 1] = 0, true);
  }
  undo_fortran(name);
}

bool source_name_is_outlined(const char *name)
{
  static const char *const marks[] = {"._omp_fn.", "._loopfn.", "._omp_cpyfn.",   ".omp_outlined",
                                      "..omp_par", ".omp_par.", ".omp_task_entry"};
  for (size_t i = 0; i < COUNT_OF(marks); i++)
    if (strstr(name, marks[i]) != NULL)
      return true;
  return false;
}

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

/* Returns the begin of the name, behind the result of a template's function: after the last space outside of brackets.
 */
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

/* The bracket that closes the one at `at`; NULL: there is none. */
static const char *closing(const char *at)
{
  int depth = 0;
  for (; *at != 0; at++) {
    depth += (*at == '<') - (*at == '>');
    if (depth == 0)
      return at;
  }
  return NULL;
}

void readable_name(char *name)
{
  static const char dots[] = "...";
  const size_t width = sizeof dots - 1;
  char *to = name;
  if (strlen(name) <= READABLE_NAME)
    return;
  for (const char *at = name; *at != 0;) {
    const char *end = *at == '<' && !ends_with_operator(name, to) ? closing(at) : NULL;
    *to++ = *at++;
    if (end == NULL || (size_t)(end - at) < width)
      continue;
    memcpy(to, dots, width);
    to += width;
    at = end;
  }
  *to = 0;
  if (strlen(name) > READABLE_NAME)
    memcpy(name + READABLE_NAME - width, dots, sizeof dots);
}

/* Compilers make variables of critical sections: .gomp_critical_user_NAME, and clang adds .var. */
#define VARIABLE     ".gomp_critical_user_"
#define VARIABLE_END ".var"

static void put_name(const char *of, int length, char *name, size_t size)
{
  if (length == 0)
    snprintf(name, size, "critical without a name");
  else
    snprintf(name, size, "%s%.*s)", NAME_SECTION_LOCK, length, of);
}

bool section_name(const char *variable, char *name, size_t size)
{
  size_t begin = sizeof VARIABLE - 1, length = strlen(variable), end = sizeof VARIABLE_END - 1;
  if (strncmp(variable, VARIABLE, begin) != 0)
    return false;
  if (length >= begin + end && strcmp(variable + length - end, VARIABLE_END) == 0)
    length -= end;
  put_name(variable + begin, (int)(length - begin), name, size);
  return true;
}

bool section_name_in_java(const struct java_names *names, uint64_t wait_id, char *name, size_t size)
{
  const char *own = NULL;
  if ((wait_id & RAW_CODE_PLACE) && (uint32_t)wait_id == 0)
    own = java_class(names, (wait_id & (RAW_CODE_PLACE - 1)) >> 32);
  if (own != NULL)
    put_name(own, (int)strlen(own), name, size);
  return own != NULL;
}
