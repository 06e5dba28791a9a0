#include "otf2-convert/samples/sample_paths.h"

#include "base/count_of.h"
#include "common/raw/archive_names.h"
#include "otf2-convert/samples/unwind.h"
#include "otf2-convert/symbols/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A module of a process. */
struct sample_home {
  struct code_home home;
  struct frame_rules *rules; /* NULL: none */
  bool system;               /* it starts programs and threads */
  bool recorder;             /* Heddle's, but none that has functions of a runtime's names */
};

/* Kinds of code: values of `facts`. The bits above have the key of an outlined function. */
enum { FACT_RUNTIME = 1, FACT_STARTS = 2, FACT_TOOL = 4, FACT_RECORDER = 8, FACT_OUTERMOST = 16, FACT_BITS = 5 };

void sample_paths_begin(struct sample_paths *paths, struct definitions *definitions)
{
  *paths = (struct sample_paths){.definitions = definitions};
}

void sample_paths_free(struct sample_paths *paths)
{
  hash_free(&paths->home_of);
  hash_free(&paths->facts);
  vector_free(&paths->homes);
}

static bool is_system(const char *path)
{
  static const char *const names[] = {"libc.so.", "libc-2.", "libpthread", "ld-linux", "ld-2."};
  const char *base = strrchr(path, '/');
  base = base == NULL ? path : base + 1;
  for (size_t i = 0; i < COUNT_OF(names); i++)
    if (strncmp(base, names[i], strlen(names[i])) == 0)
      return true;
  return false;
}

/* NULL: memory is short. */
static const struct sample_home *home_of(struct sample_paths *paths, uint32_t process, uint32_t index)
{
  uint64_t key = (uint64_t)process << 32 | index;
  const uint64_t *known = hash_find(&paths->home_of, key);
  if (known != NULL)
    return &paths->homes.items[*known];
  struct sample_home home = {.home = definitions_home(paths->definitions, process, index)};
  home.system = home.home.path != NULL && is_system(home.home.path);
  home.recorder = home.home.tool && strstr(home.home.path, "libheddle-gomp") == NULL &&
                  strstr(home.home.path, "libheddle-pthread") == NULL;
  home.rules = home.home.symbols != NULL ? symbols_frames(home.home.symbols) : NULL;
  if (!vector_push(&paths->homes, home) || hash_add(&paths->home_of, key, paths->homes.count - 1) == NULL)
    return NULL;
  return &paths->homes.items[paths->homes.count - 1];
}

/* The module of code, whose address in the process it becomes; NULL: none that is known. */
static const struct sample_home *home_at(struct sample_paths *paths, const struct process *process, uint64_t *code)
{
  uint32_t index = module_map_find(&process->info.modules.map, *code, code);
  paths->strayed |= index >= MODULE_MAP_UNKNOWN;
  return index >= MODULE_MAP_UNKNOWN ? NULL : home_of(paths, process->index, index);
}

const struct code_home *sample_paths_home(struct sample_paths *paths, const struct process *process, uint64_t *code)
{
  const struct sample_home *home = home_at(paths, process, code);
  return home != NULL ? &home->home : NULL;
}

static bool starts(const char *function)
{
  static const char *const names[] = {"_start", "__libc_start_main", "__libc_start_call_main", "start_thread", "clone",
                                      "clone3"};
  for (size_t i = 0; function != NULL && i < COUNT_OF(names); i++)
    if (strcmp(function, names[i]) == 0)
      return true;
  return false;
}

static uint64_t facts_of(struct sample_paths *paths, const struct process *process, uint64_t code)
{
  uint64_t key = hash_mix(code) ^ hash_mix(process->index + 1), facts = 0, address = code;
  const uint64_t *known = hash_find(&paths->facts, key);
  if (known != NULL)
    return *known;
  const struct sample_home *home = home_at(paths, process, &address);
  if (home != NULL) {
    facts = (home->home.runtime ? FACT_RUNTIME : 0) | (home->system ? FACT_STARTS : 0) |
            (home->home.tool ? FACT_TOOL : 0) | (home->recorder ? FACT_RECORDER : 0);
    if (home->home.symbols != NULL && !home->home.runtime) {
      struct code_function functions[CODE_FUNCTIONS_MOST];
      symbols_code(home->home.symbols, address - home->home.base, functions);
      if (functions[0].outlined && functions[0].begin != 0)
        facts |= (hash_mix(functions[0].begin ^ hash_mix((uint64_t)home->home.module << 32 | process->index)) | 1)
                 << FACT_BITS;
      else if (starts(functions[0].name))
        facts |= FACT_STARTS | (home->system ? FACT_OUTERMOST : 0);
    }
  }
  hash_add(&paths->facts, key, facts); /* without memory it is found again */
  return facts;
}

/* Context of the unwinder's callbacks. */
struct asked {
  struct sample_paths *paths;
  const struct kernel_log *log;
  const struct stack_note *wait; /* NULL: a stack of the log */
  const struct process *process;
  uint64_t ticks;
};

static struct frame_rules *find_rules(void *context, uint64_t *address, bool *code)
{
  struct asked *asked = context;
  uint64_t number = module_map_code(&asked->process->info.modules.map, asked->ticks, *address);
  const struct sample_home *home = home_at(asked->paths, asked->process, &number);
  *code = home != NULL;
  if (home == NULL)
    return NULL;
  *address = number - home->home.base;
  return home->rules;
}

static bool find_word(void *context, uint64_t address, uint64_t *word)
{
  struct asked *asked = context;
  if (asked->wait != NULL)
    return stack_note_word(asked->wait, address, word);
  return kernel_stack_word(asked->log, &asked->paths->stack, &asked->paths->blocks, address, word);
}

/* Fills in addresses, innermost first. */
static struct unwound unwind_stack(struct asked *asked, uint64_t *addresses)
{
  const struct kernel_registers *from =
      asked->wait != NULL ? &asked->wait->registers : &asked->paths->stack.copy.registers;
  const struct unwind_sources sources = {.context = asked, .rules = find_rules, .word = find_word};
  struct unwind_registers registers = {.known = 1u << FRAME_BX | 1u << FRAME_BP | 1u << FRAME_SP | 1u << FRAME_R10 |
                                                0xfu << FRAME_R12 | 1u << FRAME_PC};
  registers.of[FRAME_BX] = from->bx;
  registers.of[FRAME_BP] = from->bp;
  registers.of[FRAME_SP] = from->sp;
  registers.of[FRAME_R10] = from->r10;
  registers.of[FRAME_R12] = from->r12;
  registers.of[FRAME_R13] = from->r13;
  registers.of[FRAME_R14] = from->r14;
  registers.of[FRAME_R15] = from->r15;
  registers.of[FRAME_PC] = from->ip;
  return unwind(&sources, registers, addresses, SAMPLE_DEPTH_MOST);
}

/* The same for addresses that the kernel found. Frame pointers of code that has none lead astray, so the first address
 * that is in no module ends them. */
static struct unwound take_addresses(struct asked *asked, uint64_t *addresses)
{
  const struct kernel_stack *stack = &asked->paths->stack;
  struct unwound result = {.whole = true};
  for (uint32_t i = 0; i < stack->count; i++) {
    uint64_t address = stack->addresses[i];
    bool code = i == 0;
    if (i > 0)
      find_rules(asked, &address, &code);
    if (!code)
      break;
    addresses[result.depth++] = stack->addresses[i] + (i == 0); /* what runs has not returned */
  }
  return result;
}

/* True if a programmer looks for the code. first: the innermost that is the program's; what the runtime does for a
 * function is shown, but not how it calls one. A tool's function has the name of the runtime's that it calls. */
static bool is_shown(const uint64_t *facts, size_t i, size_t first)
{
  bool of_tool = (facts[i] & FACT_TOOL) != 0;
  if (i > first)
    return (facts[i] & FACT_RUNTIME) == 0 && (facts[i] >> FACT_BITS == 0 || facts[i - 1] >> FACT_BITS == 0);
  return i == 0 || i + 1 >= first || !of_tool || (facts[i - 1] & FACT_TOOL) != 0;
}

/* How many of the innermost functions are Heddle's, below the function that the program or its runtime called: they
 * recorded a wait. */
static size_t own_functions(const uint64_t *facts, size_t depth)
{
  size_t own = 0;
  while (own + 1 < depth &&
         ((facts[own] & FACT_RECORDER) != 0 || ((facts[own] & FACT_TOOL) != 0 && (facts[own + 1] & FACT_RUNTIME) != 0)))
    own++;
  return own;
}

static void choose(struct sample_paths *paths, const struct asked *asked, const uint64_t *addresses, size_t depth,
                   struct sample_path *path)
{
  uint64_t all_codes[SAMPLE_DEPTH_MOST], all_facts[SAMPLE_DEPTH_MOST];
  for (size_t i = 0; i < depth; i++) {
    all_codes[i] = module_map_code(&asked->process->info.modules.map, asked->ticks, addresses[i]);
    all_facts[i] = facts_of(paths, asked->process, all_codes[i]);
  }
  size_t own = asked->wait != NULL && asked->wait->waits ? own_functions(all_facts, depth) : 0;
  const uint64_t *codes = all_codes + own, *facts = all_facts + own;
  size_t last = depth - own, first = 0;                                /* the outermost one that stays is last - 1 */
  path->whole |= last > 1 && (facts[last - 1] & FACT_OUTERMOST) != 0;  /* nothing of the program called it */
  if (path->whole && last > 2 && (facts[last - 2] & FACT_STARTS) != 0) /* stripped programs don't name their _start */
    last--;
  while (path->whole && last > 1 && (facts[last - 1] & (FACT_RUNTIME | FACT_STARTS)) != 0)
    last--;
  while (first < last && (facts[first] & FACT_STARTS) != 0) /* the system's, which the runtime may have called */
    first++;
  if (first == last || (facts[first] & FACT_RUNTIME) == 0)
    first = 0;
  while (first < last && (facts[first] & FACT_RUNTIME) != 0)
    first++;
  path->depth = 0;
  for (size_t i = last; i-- > 0;)
    if (is_shown(facts, i, first))
      path->steps[path->depth++] = (struct sample_step){.code = codes[i], .outlined = facts[i] >> FACT_BITS};
}

bool sample_paths_find(struct sample_paths *paths, const struct kernel_log *log, uint32_t number,
                       const struct process *process, uint64_t ticks, struct sample_path *path)
{
  uint64_t addresses[SAMPLE_DEPTH_MOST];
  struct asked asked = {.paths = paths, .log = log, .process = process, .ticks = ticks};
  path->depth = 0;
  if (!kernel_stack_read(log, number, &paths->stack))
    return false;
  struct unwound unwound = paths->stack.is_copy ? unwind_stack(&asked, addresses) : take_addresses(&asked, addresses);
  path->whole = unwound.whole;
  choose(paths, &asked, addresses, unwound.depth, path);
  return true;
}

void sample_paths_of_wait(struct sample_paths *paths, const struct stack_note *wait, const struct process *process,
                          struct sample_path *path)
{
  uint64_t addresses[SAMPLE_DEPTH_MOST];
  struct asked asked = {.paths = paths, .wait = wait, .process = process, .ticks = wait->to};
  struct unwound unwound = unwind_stack(&asked, addresses);
  path->whole = unwound.whole;
  choose(paths, &asked, addresses, unwound.depth, path);
}

static const char *sample_name_base_of(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash[1] == 0 ? path : slash + 1;
}

void sample_name(const char *path, const struct code_function *function, const char *construct, char *name, size_t size)
{
  if (path == NULL)
    snprintf(name, size, "%s", NAME_CODE_UNKNOWN);
  else if (function->name == NULL || function->name[0] == 0)
    snprintf(name, size, "[%s]", sample_name_base_of(path));
  else if (!function->outlined)
    snprintf(name, size, "%s", function->name);
  else if (construct != NULL)
    snprintf(name, size, "%s", construct);
  else if (function->construct != 0)
    snprintf(name, size, "%s (omp%s%s:%" PRIu32 ")", function->name, NAME_AT, sample_name_base_of(function->file),
             function->construct);
  else
    snprintf(name, size, "%s (omp)", function->name);
}
