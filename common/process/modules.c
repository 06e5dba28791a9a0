#include "common/process/modules.h"

#include "common/process/codes.h"
#include "common/process/loaded_modules.h"
#include "common/process/process_lines.h"
#include "common/recorder/clock.h"
#include "common/recorder/signals_blocked.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * libheddle-gomp.so, where it is preloaded, calls this before and after each dlclose of the program. With it every
 * library is listed before it goes; without it, libraries that were loaded and unloaded between two listings are only
 * counted.
 */
extern void (*_Atomic heddle_at_dlclose)(int closed) __attribute__((weak));

enum module_state { FREE, NEW, LISTED, GONE }; /* NEW and GONE: the file does not say so yet */

/* A loaded module, or free memory for another one. Never freed. */
struct known {
  struct known *next;
  struct loaded_module is; /* its path is the one below */
  enum module_state state;
  bool stays;    /* as long as the program */
  bool found;    /* by the listing that is under way */
  uint64_t seen; /* what lies there (codes.h); 0: not known */
  uint32_t path_room;
  char path[];
};

/* State that children must not inherit: zero in a child of fork, _Fork or clone. */
static struct shared {
  atomic_bool ordinary;   /* libc's locks may be taken: no thread of a parent can have left one locked */
  atomic_bool recording;  /* from begin to end */
  atomic_uintptr_t owner; /* the thread that lists */
} *shared, not_wiped;

/* Everything except the atomic members belongs to the owner. */
static struct {
  struct known *first, *last, *guess; /* in the order in which they were met; where to look first */
  bool all_new;                       /* none was known when the listing began */
  bool some_free;
  char *free_memory;
  size_t free_size;
  bool in_turn;
  uint64_t verified;            /* ticks: what the file says was true then */
  struct loaded_counts counted; /* at the last listing that counted */
  uint64_t came;                /* modules met since then */
  bool changed;                 /* there is something to write */
  uint64_t writes;              /* tries */
  bool told;                    /* of each dlclose ... */
  atomic_bool untold;           /* ... but for one since the last listing */
  bool looked;                  /* all code is looked at (codes.h) */
  struct lines lines;
} table;

/* When a turn looks again. */
static struct {
  const struct link_map *self;           /* this library, which is never unloaded; NULL: not known */
  _Atomic(const struct link_map *) next; /* what was loaded first after us */
  atomic_uint_fast64_t at;               /* ticks, where something was */
  uint64_t pause;                        /* ticks */
} look;

static const struct link_map *load_next(const struct link_map *map)
{
  return __atomic_load_n(&map->l_next, __ATOMIC_RELAXED);
}

__attribute__((constructor)) static void at_load(void)
{
  shared = &not_wiped;
  void *page = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    madvise(page, sizeof *shared, MADV_WIPEONFORK); /* where that fails, modules_abandon must do */
    shared = page;
  }
  atomic_store(&shared->ordinary, true);
  for (const struct link_map *map = _r_debug.r_map; map; map = load_next(map))
    if (map->l_ld == _DYNAMIC)
      look.self = map;
}

static atomic_uint_fast64_t again_at; /* ticks: until then nothing is listed because of code, which failed before */

/* No thread waits for another one in a turn. A thread that was thrown out of its listing (longjmp) may list anew. */
static bool try_to_own(void)
{
  uintptr_t nobody = 0, me = (uintptr_t)&errno;
  return atomic_compare_exchange_strong(&shared->owner, &nobody, me) || nobody == me;
}

static void disown(void)
{
  atomic_store(&shared->owner, 0);
}

/* Waits for a turn's listing. Not in turns or signal handlers. */
static bool own(unsigned most_tries)
{
  for (unsigned tries = 0; tries < most_tries; tries++) {
    if (try_to_own())
      return true;
    struct timespec moment = {.tv_nsec = 100000};
    nanosleep(&moment, NULL);
  }
  return false;
}

#define LONG  10000u /* tries: a second */
#define SHORT 100u

#define MEMORY_BLOCK 65536u
#define MEMORY_SPARE 32768u

/* Allocates memory for the next turns, which must not ask the kernel for any. Not in turns or signal handlers. */
static void have_memory(size_t size)
{
  if (size <= table.free_size)
    return;
  void *more = mmap(NULL, MEMORY_BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED)
    return;
  table.free_size = 0; /* a fork may happen at any moment: what is free is never more than there is */
  atomic_signal_fence(memory_order_seq_cst);
  table.free_memory = more;
  atomic_signal_fence(memory_order_seq_cst);
  table.free_size = MEMORY_BLOCK;
}

static void *take_memory(size_t size)
{
  size = (size + 15) & ~(size_t)15;
  if (!table.in_turn)
    have_memory(size);
  if (size > table.free_size)
    return NULL;
  table.free_size -= size;
  atomic_signal_fence(memory_order_seq_cst);
  table.free_memory += size;
  return table.free_memory - size;
}

/* Returns memory for a module with such a path: an unloaded module's, or new memory. */
static struct known *take_known(size_t path_size)
{
  for (struct known *known = table.first; known && table.some_free; known = known->next)
    if (known->state == FREE && known->path_room >= path_size)
      return known;
  table.some_free = false;
  size_t room = (path_size + 63) & ~(size_t)63;
  struct known *known = take_memory(sizeof *known + room);
  if (!known)
    return NULL;
  *known = (struct known){.path_room = (uint32_t)room};
  *(table.last ? &table.last->next : &table.first) = known;
  table.last = known;
  return known;
}

static void set_path(struct known *known, const char *path, size_t size)
{
  memcpy(known->path, path, size);
  known->is.path = known->path;
}

static void meet(const struct loaded_module *module)
{
  size_t size = strlen(module->path) + 1;
  /* A path that is relative is replaced by an absolute one. */
  struct known *known = size > PATH_MAX ? NULL : take_known(*module->path == '/' ? size : PATH_MAX);
  if (!known)
    return;
  known->is = *module;
  set_path(known, module->path, size);
  known->stays = module->is_vdso;
  known->found = true;
  known->seen = 0;
  __atomic_store_n(&known->state, NEW, __ATOMIC_RELEASE); /* a fork may happen at any moment: it is whole now */
  table.guess = known->next;
  table.came++;
  table.changed = true;
}

static bool is_loaded(const struct known *known)
{
  return known->state == NEW || known->state == LISTED;
}

/* Returns the known module that begins within [start, end); it is mostly the one behind the last result. */
static struct known *find(uintptr_t start, uintptr_t end)
{
  for (int part = 0; part < 2 && !table.all_new; part++)
    for (struct known *known = part ? table.first : table.guess; known && (!part || known != table.guess);
         known = known->next)
      if (is_loaded(known) && known->is.start >= start && known->is.start < end) {
        table.guess = known->next;
        return known;
      }
  return NULL;
}

static void take_from_loader(struct loaded_module *module, void *unused)
{
  (void)unused;
  struct known *known = find(module->start, module->start + 1);
  if (known && known->is.end == module->end && (known->is.content == module->content || !known->is.content))
    known->found = true;
  else
    meet(module);
}

/* True if the kernel has the same module at this place. */
static bool is_same(struct known *known, struct loaded_module *mapped)
{
  if (known->is.inode)
    return known->is.inode == mapped->inode && known->is.device == mapped->device;
  if (mapped->start > known->is.start || !loaded_look(mapped))
    return known->stays;
  if (known->is.content && mapped->content && known->is.content != mapped->content)
    return false;
  known->is.inode = mapped->inode; /* from here on its file is enough */
  known->is.device = mapped->device;
  return true;
}

static void take_from_kernel(struct loaded_module *mapped, void *unused)
{
  (void)unused;
  struct known *known = find(mapped->start, mapped->end);
  if (known && is_same(known, mapped))
    known->found = true;
  else if (mapped->runs && loaded_look(mapped))
    meet(mapped);
}

/* Modules whose path the loader does not have as others need it: the program's, or one relative to a directory of then.
 */
static void take_path(struct loaded_module *mapped, void *unused)
{
  (void)unused;
  struct known *known = find(mapped->start, mapped->end);
  size_t size = strlen(mapped->path) + 1;
  if (!known || *known->path == '/' || size > known->path_room)
    return;
  set_path(known, mapped->path, size);
  known->is.inode = mapped->inode;
  known->is.device = mapped->device;
}

static void find_paths(void)
{
  bool all = true;
  table.all_new = false;
  for (struct known *known = table.first; known; known = known->next)
    all = all && (known->state != NEW || *known->path == '/');
  if (!all)
    loaded_by_kernel(take_path, NULL);
  for (struct known *known = table.first; known && !all; known = known->next)
    if (known->state == NEW && !*known->path) { /* the kernel did not report it */
      ssize_t n = readlink("/proc/self/exe", known->path, known->path_room - 1);
      known->path[n > 0 ? n : 0] = '\0';
    }
}

/* The loader came with libc, and libc with the program, as all modules that were loaded before it. */
static void find_what_stays(void)
{
  uintptr_t loader = getauxval(AT_BASE);
  struct known *known = table.first;
  while (known && loader && known->is.base != loader)
    known = known->next;
  struct known *last = known ? known : table.first;
  for (known = table.first; known; known = known == last ? NULL : known->next)
    known->stays = true;
}

static void search_begins(void)
{
  table.guess = table.first;
  table.all_new = !table.first;
  for (struct known *known = table.first; known; known = known->next)
    known->found = false;
}

/* Marks modules that were not found as unloaded. */
static void search_ends(void)
{
  for (struct known *known = table.first; known; known = known->next)
    if (is_loaded(known) && !known->found && !known->stays) {
      known->state = known->state == NEW ? FREE : GONE;
      table.changed = true;
    }
}

static void add_listing(uint64_t began, uint64_t ended, const uint64_t *missed)
{
  struct text *text = &table.lines.text;
  lines_reserve(&table.lines, 0);
  text_add(text, "modules: ");
  text_add_number(text, table.verified);
  text_add(text, " ");
  text_add_number(text, began);
  text_add(text, " ");
  text_add_number(text, ended);
  if (table.told && !atomic_exchange(&table.untold, false))
    text_add(text, " told");
  else if (table.looked)
    text_add(text, " seen");
  else if (!missed)
    text_add(text, " -");
  else {
    text_add(text, " ");
    text_add_number(text, *missed);
  }
  text_add(text, "\n");
}

static void add_module(const struct known *known, uint64_t now)
{
  size_t size = strlen(known->path);
  uintptr_t addresses[3] = {known->is.base, known->is.start, known->is.end};
  struct text *text = &table.lines.text;
  lines_reserve(&table.lines, size < 1900 ? size + 64 : 1964);
  text_add(text, "module: ");
  text_add_number(text, known->stays ? 0 : now);
  for (int i = 0; i < 3; i++) {
    text_add(text, " ");
    text_add_hex(text, addresses[i]);
  }
  text_add(text, known->is.id_size ? " " : " -");
  for (unsigned i = 0; i < known->is.id_size; i++) {
    text_add_hex(text, known->is.id[i] >> 4);
    text_add_hex(text, known->is.id[i] & 15);
  }
  text_add(text, " ");
  text_add_escaped(text, known->path, size);
  text_add(text, "\n");
}

static void add_gone(const struct known *known)
{
  lines_reserve(&table.lines, 0);
  text_add(&table.lines.text, "gone: ");
  text_add_hex(&table.lines.text, known->is.start);
  text_add(&table.lines.text, "\n");
}

/* Writes the changes of a listing that began and ended at these times. False: they could not be written. */
static bool write_changes(uint64_t began, uint64_t ended, const uint64_t *missed)
{
  table.writes++;
  lines_begin(&table.lines);
  add_listing(began, ended, missed);
  /* Unloads come first: another module may have taken the place. */
  for (const struct known *known = table.first; known; known = known->next)
    if (known->state == GONE)
      add_gone(known);
  for (const struct known *known = table.first; known; known = known->next)
    if (known->state == NEW && *known->path)
      add_module(known, ended);
  if (lines_end(&table.lines) != 0)
    return false; /* said again next time, which does no harm */
  for (struct known *known = table.first; known; known = known->next)
    known->state = known->state == NEW ? LISTED : known->state == GONE ? FREE : known->state;
  table.some_free = true;
  table.changed = false;
  codes_forget();
  return true;
}

/* Counts libraries that were loaded and unloaded without a listing since the last count. */
static uint64_t count_missed(struct loaded_counts counts)
{
  uint64_t came = counts.came - table.counted.came;
  uint64_t missed = came > table.came ? came - table.came : 0;
  table.counted = counts;
  table.came = 0;
  return missed;
}

/* Lists by the loader. always: writes a listing without changes, too. False: it could not be written. */
static bool list_by_loader(bool always)
{
  bool first = !table.first;
  uint64_t began = clock_ticks();
  search_begins();
  struct loaded_counts counts = loaded_by_loader(take_from_loader, NULL);
  if (counts.came - counts.went > counts.visited)
    loaded_by_kernel(take_from_kernel, NULL);
  find_paths();
  if (first)
    find_what_stays();
  search_ends();
  uint64_t missed = count_missed(counts);
  if (first)
    missed = 0;
  bool good = true;
  if (table.changed || always || missed) {
    good = write_changes(began, clock_ticks(), &missed);
    table.verified = good ? began : table.verified;
  }
  return good;
}

/* False: the changes are unknown, or could not be written. */
static bool list_by_kernel(bool always)
{
  uint64_t began = clock_ticks();
  search_begins();
  bool told = loaded_by_kernel(take_from_kernel, NULL);
  if (told)
    search_ends();
  uint64_t verified = told ? began : table.verified;
  bool good = !table.changed && !always;
  if (!good)
    good = write_changes(began, clock_ticks(), NULL);
  table.verified = good ? verified : table.verified;
  return good && told;
}

static codes_listed have_code;

/* Not in signal handlers. */
static void list(bool always)
{
  table.in_turn = false; /* whatever a turn was thrown out of */
  const struct link_map *next = look.self ? load_next(look.self) : NULL;
  if (atomic_load(&shared->ordinary) ? !list_by_loader(always) : !list_by_kernel(always))
    codes_begin(have_code); /* reports of dlclose do not come into the file */
  have_memory(MEMORY_SPARE);
  atomic_store(&look.next, next);
}

static bool has_changed(void)
{
  if (!atomic_load(&shared->ordinary))
    return true;
  struct loaded_counts counts = loaded_count();
  return counts.came != table.counted.came || counts.went != table.counted.went;
}

/* Before and after the program's dlclose. */
static void at_dlclose(int closed)
{
  if (!atomic_load(&shared->recording))
    return;
  struct signals_blocked blocked = signals_block();
  if (own(LONG)) {
    if (has_changed())
      list(false);
    disown();
  } else if (!closed) {
    atomic_store(&table.untold, true);
    codes_begin(have_code);
  }
  signals_unblock(&blocked);
}

static void list_in_turn(const struct link_map *next)
{
  uint64_t began = clock_ticks();
  table.in_turn = true;
  uint64_t writes = table.writes;
  list_by_kernel(false);
  bool changed = table.writes != writes;
  table.in_turn = false;
  uint64_t now = clock_ticks(), least = 64 * (now - began);
  look.pause = changed || 2 * look.pause < least ? least : 2 * look.pause > 64 * least ? 64 * least : 2 * look.pause;
  atomic_store(&look.next, next);
  atomic_store(&look.at, now + look.pause);
}

void modules_begin(void)
{
  struct signals_blocked blocked = signals_block();
  if (own(LONG)) {
    loaded_leave(); /* the parent may have been here when this process was forked */
    for (struct known *known = table.first; known; known = known->next) /* a parent's */
      known->state = is_loaded(known) ? NEW : FREE;
    table.verified = 0;
    table.told = &heddle_at_dlclose != NULL;
    table.looked = !table.told && codes_begin(have_code);
    atomic_store(&look.at, 0);
    atomic_store(&again_at, 0);
    atomic_store(&shared->recording, true); /* whose code comes meanwhile waits for us, and looks behind us */
    list(true);
    list_in_turn(look.self ? load_next(look.self) : NULL); /* now: it opens descriptors the first time */
    if (table.told)
      atomic_store(&heddle_at_dlclose, at_dlclose);
    if (table.first && table.first->stays)
      codes_add_permanent(table.first->is.start, table.first->is.end);
    disown();
  }
  signals_unblock(&blocked);
}

void modules_turn(void)
{
  if (!atomic_load(&shared->recording))
    return;
  const struct link_map *next = look.self ? load_next(look.self) : NULL;
  bool same = next == atomic_load(&look.next);
  if (same && ((look.self && !next) || clock_ticks() < atomic_load(&look.at)))
    return;
  struct signals_blocked blocked = signals_block(); /* a handler that jumps out of it would leave descriptors open */
  if (try_to_own()) {
    list_in_turn(next);
    disown();
  } /* else the thread that lists does it for us */
  signals_unblock(&blocked);
}

static struct known *known_at(uintptr_t code)
{
  struct known *known = table.first;
  while (known && !(is_loaded(known) && code >= known->is.start && code < known->is.end))
    known = known->next;
  return known;
}

void modules_find(uintptr_t code, loaded_visitor *visitor, void *context)
{
  struct signals_blocked blocked = signals_block();
  if (own(SHORT)) {
    struct known *known = known_at(code);
    if (known)
      visitor(&known->is, context);
    disown();
  }
  signals_unblock(&blocked);
}

void modules_visit(loaded_visitor *visitor, void *context)
{
  struct signals_blocked blocked = signals_block();
  if (own(SHORT)) {
    for (struct known *known = table.first; known; known = known->next)
      if (is_loaded(known))
        visitor(&known->is, context);
    disown();
  }
  signals_unblock(&blocked);
}

/* True if the file has the module of a code address, as far as is known. */
static bool is_listed(uintptr_t code, bool loaded, uint64_t seen)
{
  const struct known *known = known_at(code);
  if (known ? known->state != LISTED || !loaded || (!known->stays && known->seen != seen) : loaded)
    return false;
  if (known && known->stays)
    codes_add_permanent(known->is.start, known->is.end);
  if (seen)
    codes_add_seen(seen);
  return seen;
}

/* The module at the address is not the listed one, or was not compared with it yet. */
static bool list_for_code(uintptr_t code, bool loaded, uint64_t seen)
{
  have_memory(MEMORY_SPARE);
  table.in_turn = true;
  bool all = list_by_kernel(false);
  table.in_turn = false;
  struct known *known = known_at(code);
  if (known && all)
    known->seen = seen;
  return all && is_listed(code, loaded, seen);
}

static bool have_code(uintptr_t code, bool loaded, uint64_t seen)
{
  if (!atomic_load(&shared->recording))
    return true;
  /* A signal handler may have interrupted the listing of its own thread. */
  if (atomic_load(&shared->owner) == (uintptr_t)&errno)
    return false;
  struct signals_blocked blocked = signals_block();
  bool listed = false;
  uint64_t began = clock_ticks();
  bool may_list = began >= atomic_load(&again_at);
  if (may_list ? own(SHORT) : try_to_own()) {
    listed = is_listed(code, loaded, seen) || (may_list && list_for_code(code, loaded, seen));
    disown();
  }
  if (!listed && may_list) { /* not with each event */
    uint64_t now = clock_ticks();
    atomic_store(&again_at, now + 64 * (now - began));
  }
  signals_unblock(&blocked);
  return listed;
}

void modules_end(void)
{
  if (!atomic_load(&shared->recording))
    return;
  struct signals_blocked blocked = signals_block();
  if (own(LONG)) {
    list(true);
    atomic_store(&shared->recording, false);
    disown();
  }
  signals_unblock(&blocked);
}

void modules_abandon(void)
{
  loaded_leave();
  atomic_store(&shared->ordinary, false);
  atomic_store(&shared->recording, false);
  atomic_store(&shared->owner, 0);
}
