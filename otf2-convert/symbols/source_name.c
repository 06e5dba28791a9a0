#include "otf2-convert/symbols/source_name.h"

#include "base/count_of.h"

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
