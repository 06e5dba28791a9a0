#include "analyzer/record/launch/program_libraries.h"

#include "analyzer/record/launch/elf_image.h"
#include "analyzer/record/launch/library_search.h"
#include "base/count_of.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The kernel reads so many bytes of a script (BINPRM_BUF_SIZE). */
enum { SCRIPT_BYTES = 256 };

static bool may_execute(const char *path)
{
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* The file for a name: the name itself if it has a slash, else the first in PATH. The caller frees it. NULL: there is
 * no file that this process may execute. */
static char *program_find(const char *name)
{
  if (!*name)
    return NULL;
  if (strchr(name, '/'))
    return may_execute(name) ? strdup(name) : NULL;
  const char *entry = getenv("PATH");
  if (!entry)
    entry = "/bin:/usr/bin";
  while (entry) {
    char path[PATH_MAX];
    size_t length = strcspn(entry, ":");
    int size = length == 0 ? snprintf(path, sizeof path, "./%s", name)
                           : snprintf(path, sizeof path, "%.*s/%s", (int)length, entry, name);
    if (size > 0 && (size_t)size < sizeof path && may_execute(path))
      return strdup(path);
    entry = entry[length] ? entry + length + 1 : NULL;
  }
  return NULL;
}

/* The program that `env ARGUMENTS` runs: the first argument that is neither an option nor a setting. */
static char *find_by_env(char *arguments)
{
  char *rest = NULL;
  for (char *word = strtok_r(arguments, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
    if (word[0] != '-' && !strchr(word, '='))
      return program_find(word);
  return NULL;
}

/* The program that runs a file that is not ELF: the one after #! (also through env(1)), else /bin/sh. The caller frees
 * it. NULL: there is none, or the file cannot be read. */
static char *program_interpreter(const char *file)
{
  char line[SCRIPT_BYTES + 1];
  int fd = library_open(file);
  ssize_t length = fd >= 0 ? pread(fd, line, SCRIPT_BYTES, 0) : -1;
  if (fd >= 0)
    close(fd);
  if (length < 0)
    return NULL;
  line[length] = '\0';
  if (strncmp(line, "#!", 2) != 0)
    return program_find("/bin/sh"); /* execvp(3) does this if the kernel refuses the file */
  line[strcspn(line, "\n")] = '\0';
  char *rest = NULL, *interpreter = strtok_r(line + 2, " \t", &rest);
  if (!interpreter)
    return NULL;
  const char *slash = strrchr(interpreter, '/');
  if (strcmp(slash ? slash + 1 : interpreter, "env") == 0 && rest && *rest)
    return find_by_env(rest);
  return may_execute(interpreter) ? strdup(interpreter) : NULL;
}

/* The kernel follows as many scripts whose interpreters are scripts. A large desktop program has 300 libraries. */
enum { SCRIPTS_MAX = 5, LIBRARIES_MAX = 1024, TRIES_MAX = 20000 };

/* Facts of a library that are needed only while looking; node 0 is the program, node i + 1 is libraries[i]. */
struct node {
  struct library_asker as_asker;
  struct elf_image image;
  dev_t device;
  ino_t inode;
};

struct program_search {
  struct program_libraries *libraries;
  struct library_search search;
  struct node *nodes;
};

/* Addresses of what -fpatchable-function-entry leaves room for. */
#define PATCHABLE "__patchable_function_entries"

static const char *file_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static enum openmp_runtime runtime_of(const struct elf_symbols *symbols)
{
  return symbols->kmp ? RUNTIME_LIBOMP : symbols->gomp ? RUNTIME_LIBGOMP : RUNTIME_NONE;
}

static bool is_known(const struct program_search *l, const char *name)
{
  for (size_t i = 0; i < l->libraries->count; i++) {
    const char *soname = l->nodes[i + 1].image.soname;
    if (strcmp(l->libraries->libraries[i].name, name) == 0 || (soname && strcmp(soname, name) == 0))
      return true;
  }
  return false;
}

static bool is_same_file(const struct program_search *l, const struct stat *status)
{
  for (size_t i = 0; i <= l->libraries->count; i++)
    if (l->nodes[i].device == status->st_dev && l->nodes[i].inode == status->st_ino)
      return true;
  return false;
}

static void note_name(struct program_libraries *libraries, const char *name)
{
  const char *base = file_name(name);
  libraries->jvm |= strcmp(base, "libjli.so") == 0 || strcmp(base, "libjvm.so") == 0;
}

/* True if waits in a library are its own: a libc, a runtime of a language or of OpenMP, a sanitizer, or a JVM. */
static bool is_runtime(const char *name)
{
  static const char *const beginnings[] = {
      "libheddle",  "libc.so",      "ld-linux", "libpthread.", "librt.",       "libdl.",       "libm.so",
      "libresolv.", "libstdc++.",   "libc++",   "libgcc_s.",   "libgfortran.", "libquadmath.", "libatomic.",
      "libomp",     "libiomp",      "libgomp",  "libarcher.",  "libasan.",     "libtsan.",     "libubsan.",
      "liblsan.",   "libclang_rt.", "libjvm.",  "libjli.",     "libflang"};
  for (size_t i = 0; i < COUNT_OF(beginnings); i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

static void drop(struct library_file *file)
{
  free(file->path);
  elf_image_free(&file->image);
  close(file->fd);
}

/* Adds a library that is not listed yet; file->fd is -1: it was not found. */
static void add_file(struct program_search *l, const char *name, const struct library_asker *asker,
                     const char *asker_name, struct library_file *file, const struct stat *status)
{
  struct program_libraries *libraries = l->libraries;
  char *copy = libraries->count < LIBRARIES_MAX ? strdup(name) : NULL;
  libraries->incomplete |= !copy || file->fd < 0 || file->image.damaged;
  if (!copy) {
    if (file->fd >= 0)
      drop(file);
    return;
  }
  struct program_library *library = &libraries->libraries[libraries->count];
  struct node *node = &l->nodes[++libraries->count];
  *library = (struct program_library){.name = copy, .path = file->path, .asker = asker_name};
  *node = (struct node){{file->path, &node->image, asker}, file->image, status->st_dev, status->st_ino};
  note_name(libraries, name);
  if (file->fd < 0)
    return;
  struct elf_symbols symbols;
  elf_symbols_exported(file->fd, &symbols);
  /* Heddle's own also defines GOMP_parallel. */
  if (strncmp(file_name(name), "libheddle", 9) != 0)
    library->runtime = runtime_of(&symbols);
  library->hooks = symbols.hooks;
  library->entries = symbols.entries || elf_has_section(file->fd, PATCHABLE);
  library->waits = symbols.waits && library->runtime == RUNTIME_NONE && !is_runtime(file_name(name));
  close(file->fd);
}

static void add_library(struct program_search *l, const char *name, const struct library_asker *asker,
                        const char *asker_name)
{
  struct library_file file = {.fd = -1};
  struct stat status = {0};
  if (is_known(l, name))
    return;
  bool found = library_find(&l->search, name, asker, &file);
  if (found && (fstat(file.fd, &status) != 0 || is_same_file(l, &status)))
    drop(&file);
  else
    add_file(l, name, asker, asker_name, &file, &status);
}

/* Libraries in the loader's order: breadth first, the user's preloaded libraries before the libraries that the program
 * needs. */
static void find_libraries(struct program_search *l)
{
  const char *preload = l->libraries->secure ? NULL : getenv("LD_PRELOAD");
  char *names = preload ? strdup(preload) : NULL, *rest = NULL;
  for (char *name = names ? strtok_r(names, " :", &rest) : NULL; name; name = strtok_r(NULL, " :", &rest))
    add_library(l, name, &l->nodes[0].as_asker, "LD_PRELOAD");
  free(names);
  for (size_t i = 0; i <= l->libraries->count; i++) {
    const struct node *node = &l->nodes[i];
    for (size_t n = 0; n < node->image.needed.count; n++)
      add_library(l, node->image.needed.items[n], &node->as_asker, node->as_asker.path);
  }
}

/* Finds a runtime in the executable. Without a symbol table, only texts of libgomp's show it. */
static void find_runtime_inside(struct program_libraries *libraries, int fd)
{
  struct elf_symbols symbols, exported;
  elf_symbols_all(fd, &symbols);
  elf_symbols_exported(fd, &exported);
  bool known = symbols.table;
  if (!known)
    symbols = exported;
  libraries->inside = runtime_of(&symbols);
  libraries->hooks = exported.hooks;
  libraries->entries = exported.entries || elf_has_section(fd, PATCHABLE);
  libraries->waits = exported.waits && libraries->inside == RUNTIME_NONE;
  if (known || libraries->inside != RUNTIME_NONE || program_libraries_with(libraries, RUNTIME_LIBGOMP))
    return;
  libraries->inside_by_text = elf_contains(fd, "GOMP_SPINCOUNT");
  if (libraries->inside_by_text) {
    libraries->inside = RUNTIME_LIBGOMP;
    libraries->waits = false; /* they may be the runtime's own */
  }
}

/* As the kernel decides on AT_SECURE. The super-user gets no capability that it has not. */
static bool is_secure(const char *path, const struct stat *status)
{
  return ((status->st_mode & S_ISUID) && status->st_uid != getuid()) ||
         ((status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) && status->st_gid != getgid()) ||
         (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static void read_executable(struct program_search *l, int fd)
{
  struct program_libraries *libraries = l->libraries;
  struct node *program = &l->nodes[0];
  struct stat status;
  elf_image_read(fd, &program->image);
  libraries->kind = program->image.kind;
  if (libraries->kind == ELF_NOT_ONE || fstat(fd, &status) != 0)
    return;
  libraries->secure = is_secure(libraries->executable, &status);
  if (libraries->kind != ELF_NATIVE)
    return;
  program->device = status.st_dev;
  program->inode = status.st_ino;
  program->as_asker = (struct library_asker){libraries->executable, &program->image, NULL};
  libraries->incomplete = program->image.damaged;
  libraries->is_static = !program->image.interpreter && !program->image.damaged;
  if (program->image.interpreter) {
    libraries->other_loader = strncmp(file_name(program->image.interpreter), "ld-linux", 8) != 0;
    const char *library_path = libraries->secure ? NULL : getenv("LD_LIBRARY_PATH");
    l->search.library_path = library_path && *library_path ? library_path : NULL;
    l->search.cache = ld_cache_read("/etc/ld.so.cache");
    l->search.tries = TRIES_MAX;
    find_libraries(l);
    ld_cache_free(&l->search.cache);
  }
  find_runtime_inside(libraries, fd);
}

/* Follows scripts to the file that the kernel loads, and opens it. -1: an error. */
static int open_executable(struct program_libraries *libraries)
{
  char *file = strdup(libraries->path);
  for (int i = 0; file && i < SCRIPTS_MAX; i++) {
    char magic[4], absolute[PATH_MAX];
    int fd = library_open(file);
    if (fd >= 0 && elf_read_at(fd, magic, 4, 0) && memcmp(magic, "\177ELF", 4) == 0 && realpath(file, absolute)) {
      free(file);
      libraries->executable = strdup(absolute);
      if (libraries->executable)
        return fd;
      close(fd);
      return -1;
    }
    if (fd >= 0)
      close(fd);
    libraries->script |= fd >= 0;
    char *interpreter = program_interpreter(file);
    free(file);
    file = interpreter;
  }
  free(file);
  return -1;
}

struct program_libraries *program_libraries_find(const char *program)
{
  struct program_libraries *libraries = calloc(1, sizeof *libraries);
  struct program_search l = {.libraries = libraries, .nodes = calloc(LIBRARIES_MAX + 1, sizeof *l.nodes)};
  if (libraries)
    libraries->libraries = calloc(LIBRARIES_MAX, sizeof *libraries->libraries);
  if (!libraries || !l.nodes || !libraries->libraries) {
    program_libraries_free(libraries);
    free(l.nodes);
    return NULL;
  }
  libraries->path = program_find(program);
  int fd = libraries->path ? open_executable(libraries) : -1;
  if (fd >= 0) {
    read_executable(&l, fd);
    close(fd);
  }
  for (size_t i = 0; i <= libraries->count; i++)
    elf_image_free(&l.nodes[i].image);
  free(l.nodes);
  return libraries;
}

void program_libraries_free(struct program_libraries *libraries)
{
  if (!libraries)
    return;
  for (size_t i = 0; libraries->libraries && i < libraries->count; i++) {
    free(libraries->libraries[i].name);
    free(libraries->libraries[i].path);
  }
  free(libraries->libraries);
  free(libraries->executable);
  free(libraries->path);
  free(libraries);
}

const struct program_library *program_libraries_with(const struct program_libraries *libraries,
                                                     enum openmp_runtime runtime)
{
  for (size_t i = 0; i < libraries->count; i++)
    if (libraries->libraries[i].runtime == runtime)
      return &libraries->libraries[i];
  return NULL;
}

const char *program_libraries_waits(const struct program_libraries *libraries)
{
  if (libraries->waits)
    return libraries->executable;
  for (size_t i = 0; i < libraries->count; i++)
    if (libraries->libraries[i].waits)
      return libraries->libraries[i].path;
  return NULL;
}

const char *program_libraries_hooks(const struct program_libraries *libraries)
{
  if (libraries->hooks || libraries->entries)
    return libraries->executable;
  for (size_t i = 0; i < libraries->count; i++)
    if (libraries->libraries[i].hooks || libraries->libraries[i].entries)
      return libraries->libraries[i].path;
  return NULL;
}

const char *program_libraries_entries(const struct program_libraries *libraries)
{
  if (libraries->entries)
    return libraries->executable;
  for (size_t i = 0; i < libraries->count; i++)
    if (libraries->libraries[i].entries)
      return libraries->libraries[i].path;
  return NULL;
}
