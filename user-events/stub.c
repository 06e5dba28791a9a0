/*
 * libheddle-user.a: what a program links that includes heddle.h or uses the Fortran module `heddle`. It finds the
 * library that records, if there is one, before main. This is the loaded library (libheddle-gomp.so or a JVM did so),
 * else the library that OMP_TOOL_LIBRARIES names. So a program without OpenMP is recorded by the same setting as one
 * with it. The runtime, which loads that library later, finds it there.
 */
#include "user-events/include/heddle.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/*
 * What the Fortran module `heddle` (user-events/include/heddle.f90) calls. A character(*) of Fortran has a length, no
 * zero, and blanks at its end that don't count.
 */
int heddle_f_listens(void);
void heddle_f_enter(const char *name, size_t length);
void heddle_f_leave(const char *name, size_t length);
void heddle_f_phase(const char *name, size_t length);
void heddle_f_name_thread(const char *name, size_t length);
void heddle_f_measure(int on);
/* An event; the names of a kind of attribute lie one after the other, `size` characters each. */
void heddle_f_event(const char *name, size_t length, size_t integers, const char *integer_names, size_t integer_size,
                    const int64_t *integer_values, size_t reals, const char *real_names, size_t real_size,
                    const double *real_values);

const struct heddle_user_calls *heddle_user;

typedef const struct heddle_user_calls *heddle_user_1_t(void);

/* True if a path is Heddle's library, under any of its names. */
static int is_heddle(const char *path)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  return strncmp(base, "libheddle", strlen("libheddle")) == 0;
}

/* Loads Heddle's library among the libraries that OMP_TOOL_LIBRARIES names; NULL: it names none. Not in set-user-ID
 * programs.
 */
static void *load_named(void)
{
  const char *tool = secure_getenv("OMP_TOOL"), *list = secure_getenv("OMP_TOOL_LIBRARIES");
  if (!list || (tool && strcmp(tool, "disabled") == 0))
    return NULL;
  for (const char *end; *list; list = *end ? end + 1 : end) {
    char path[PATH_MAX];
    end = strchrnul(list, ':');
    size_t length = (size_t)(end - list);
    if (length == 0 || length >= sizeof path)
      continue;
    memcpy(path, list, length);
    path[length] = '\0';
    void *library = is_heddle(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library)
      return library;
  }
  return NULL;
}

/* Before the program's own constructors, which may call us. */
__attribute__((constructor(101))) static void find_library(void)
{
  if (getauxval(AT_BASE) == 0) /* a static program has nothing to load libraries with */
    return;
  void *library = dlopen("libheddle.so", RTLD_NOW | RTLD_NOLOAD);
  if (!library)
    library = load_named();
  heddle_user_1_t *calls = library ? (heddle_user_1_t *)dlsym(library, "heddle_user_1") : NULL;
  heddle_user = calls ? calls() : NULL;
  dlerror(); /* what failed here is not the program's business */
}

/* The Fortran module's side: names without their trailing blanks. */
static size_t trimmed(const char *name, size_t length)
{
  while (length > 0 && name[length - 1] == ' ')
    length--;
  return length;
}

int heddle_f_listens(void)
{
  return heddle_user != NULL;
}

void heddle_f_enter(const char *name, size_t length)
{
  if (heddle_user)
    heddle_user->enter(name, trimmed(name, length));
}

void heddle_f_leave(const char *name, size_t length)
{
  if (heddle_user)
    heddle_user->leave(name, trimmed(name, length));
}

void heddle_f_phase(const char *name, size_t length)
{
  if (heddle_user)
    heddle_user->phase(name, trimmed(name, length));
}

void heddle_f_name_thread(const char *name, size_t length)
{
  if (heddle_user)
    heddle_user->name_thread(name, trimmed(name, length));
}

void heddle_f_measure(int on)
{
  if (heddle_user)
    heddle_user->measure(on);
}

#define ATTRIBUTES_MAX 255u
#define ATTRIBUTES_FEW 16u

/* Appends attributes whose names lie one after the other, `size` characters each. */
static size_t add(struct heddle_attribute *list, size_t used, enum heddle_type type, size_t count, const char *names,
                  size_t size, const void *values)
{
  for (size_t i = 0; i < count && used < ATTRIBUTES_MAX; i++, used++) {
    list[used].name = names + i * size;
    list[used].length = trimmed(names + i * size, size);
    list[used].type = type;
    memcpy(&list[used].value, (const char *)values + i * sizeof list[used].value, sizeof list[used].value);
  }
  return used;
}

/* Attributes of one event: integers, then reals. */
struct lists {
  size_t integers, integer_size, reals, real_size;
  const char *integer_names, *real_names;
  const int64_t *integer_values;
  const double *real_values;
};

static void event(const char *name, size_t length, const struct lists *lists, struct heddle_attribute *list)
{
  size_t count =
      add(list, 0, HEDDLE_INTEGER, lists->integers, lists->integer_names, lists->integer_size, lists->integer_values);
  count = add(list, count, HEDDLE_REAL, lists->reals, lists->real_names, lists->real_size, lists->real_values);
  heddle_user->event(name, trimmed(name, length), count, list);
}

/* As many attributes as hardly any event has would take 8 KiB of a thread's stack each time. */
__attribute__((noinline)) static void event_of_many(const char *name, size_t length, const struct lists *lists)
{
  struct heddle_attribute list[ATTRIBUTES_MAX];
  event(name, length, lists, list);
}

__attribute__((noinline)) static void event_of_few(const char *name, size_t length, const struct lists *lists)
{
  struct heddle_attribute list[ATTRIBUTES_FEW];
  event(name, length, lists, list);
}

void heddle_f_event(const char *name, size_t length, size_t integers, const char *integer_names, size_t integer_size,
                    const int64_t *integer_values, size_t reals, const char *real_names, size_t real_size,
                    const double *real_values)
{
  const struct lists lists = {integers,      integer_size, reals,          real_size,
                              integer_names, real_names,   integer_values, real_values};
  if (heddle_user)
    (integers <= ATTRIBUTES_FEW && reals <= ATTRIBUTES_FEW - integers ? event_of_few : event_of_many)(name, length,
                                                                                                      &lists);
}
