#include "common/process_file.h"

#include "common/diag.h"
#include "common/file.h"
#include "common/price.h"
#include "common/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* How many modules were loaded, ever, when they were last written. */
static atomic_ullong modules_added;

/* Lines collected in memory, appended to the file by one write. */
struct lines {
  char bytes[8192];
  struct text text;
  int fd;
  int error;
};

static int lines_open(struct lines *lines, const char *directory, int flags)
{
  char path[PATH_MAX + 16];
  struct text name = TEXT_OVER(path);
  text_add(&name, directory);
  text_add(&name, "/process");
  lines->text = TEXT_OVER(lines->bytes);
  lines->error = 0;
  lines->fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  return lines->fd < 0 ? errno : 0;
}

static void lines_write(struct lines *lines)
{
  const char *at = lines->bytes;
  while (lines->text.used && !lines->error) {
    ssize_t done = write(lines->fd, at, lines->text.used);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      lines->error = done < 0 ? errno : EIO;
    else {
      at += done;
      lines->text.used -= (size_t)done;
    }
  }
  lines->text.used = 0;
}

static int lines_close(struct lines *lines)
{
  lines_write(lines);
  close(lines->fd);
  return lines->error;
}

/* Room for one more line with a value of n bytes, each of which may need four. */
static void lines_reserve(struct lines *lines, size_t n)
{
  if (lines->text.used + n * 4 + 128 > sizeof lines->bytes)
    lines_write(lines);
}

static void add_bytes(struct lines *lines, const char *key, const char *value, size_t n)
{
  size_t most = (sizeof lines->bytes - 128) / 4;
  if (n > most)
    n = most;
  lines_reserve(lines, n);
  text_add(&lines->text, key);
  text_add(&lines->text, ": ");
  text_add_escaped(&lines->text, value, n);
  text_add(&lines->text, "\n");
}

static void add_string(struct lines *lines, const char *key, const char *value)
{
  if (value)
    add_bytes(lines, key, value, strlen(value));
}

static void add_number(struct lines *lines, const char *key, uint64_t number)
{
  lines_reserve(lines, 0);
  text_add(&lines->text, key);
  text_add(&lines->text, ": ");
  text_add_number(&lines->text, number);
  text_add(&lines->text, "\n");
}

static void add_anchor(struct lines *lines)
{
  struct clock_anchor anchor = clock_anchor_take(50);
  lines_reserve(lines, 0);
  text_add(&lines->text, "anchor: ");
  text_add_number(&lines->text, anchor.ticks);
  text_add(&lines->text, " ");
  text_add_number(&lines->text, anchor.monotonic_ns);
  text_add(&lines->text, " ");
  text_add_number(&lines->text, anchor.realtime_ns);
  text_add(&lines->text, "\n");
}

static void add_command_line(struct lines *lines)
{
  int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return;
  char bytes[2048];
  size_t have = 0;
  for (;;) {
    ssize_t got = read(fd, bytes + have, sizeof bytes - have);
    if (got < 0 && errno == EINTR)
      continue;
    if (got > 0)
      have += (size_t)got;
    size_t at = 0;
    while (at < have) {
      const char *end = memchr(bytes + at, '\0', have - at);
      /* An argument longer than the buffer is cut in pieces of its size; the last may lack its zero. */
      size_t n = end ? (size_t)(end - (bytes + at)) : have - at;
      if (!end && got > 0 && !(at == 0 && have == sizeof bytes))
        break;
      add_bytes(lines, "arg", bytes + at, n);
      at += n + (end ? 1 : 0);
    }
    memmove(bytes, bytes + at, have - at);
    have -= at;
    if (got <= 0)
      break;
  }
  close(fd);
}

static void add_link(struct lines *lines, const char *key, const char *path)
{
  char target[PATH_MAX];
  ssize_t n = readlink(path, target, sizeof target);
  if (n > 0)
    add_bytes(lines, key, target, (size_t)n);
}

/* The process' start in clock ticks since boot: field 22 of /proc/self/stat; the command before it may hold anything.
 */
static void add_start_jiffies(struct lines *lines)
{
  char stat[1024];
  if (file_read("/proc/self/stat", stat, sizeof stat) <= 0)
    return;
  const char *at = strrchr(stat, ')');
  for (int field = 2; at && field < 22; field++)
    at = strchr(at + 1, ' ');
  if (at)
    add_number(lines, "start-jiffies", strtoull(at + 1, NULL, 10));
}

static void add_boot_id(struct lines *lines)
{
  char id[64];
  if (file_read("/proc/sys/kernel/random/boot_id", id, sizeof id) > 0) {
    id[strcspn(id, "\n")] = '\0';
    add_string(lines, "boot-id", id);
  }
}

static void add_environment(struct lines *lines)
{
  static const char *const of_interest[] = {"OMP_", "KMP_", "GOMP_", "LIBOMP", "HEDDLE", "LD_PRELOAD=", "SLURM_JOB"};
  for (char **entry = environ; entry && *entry; entry++)
    for (size_t i = 0; i < sizeof of_interest / sizeof *of_interest; i++)
      if (!strncmp(*entry, of_interest[i], strlen(of_interest[i]))) {
        add_string(lines, "env", *entry);
        break;
      }
}

/* The build id among a module's notes, in hex; "-" when there is none. */
static void add_build_id(struct text *text, const struct dl_phdr_info *info)
{
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE)
      continue;
    const char *at = (const char *)info->dlpi_addr + segment->p_vaddr;
    const char *end = at + segment->p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const ElfW(Nhdr) *note = (const void *)at;
      const char *name = at + sizeof *note;
      const unsigned char *id = (const unsigned char *)name + ((note->n_namesz + 3) & ~3u);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) && note->n_descsz <= 64) {
        for (unsigned b = 0; b < note->n_descsz; b++) {
          text_add_hex(text, id[b] >> 4);
          text_add_hex(text, id[b] & 15);
        }
        return;
      }
      at = (const char *)id + ((note->n_descsz + 3) & ~3u);
    }
  }
  text_add(text, "-");
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  struct lines *lines = context;
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD)
      continue;
    uintptr_t from = info->dlpi_addr + segment->p_vaddr;
    if (from < start)
      start = from;
    if (from + segment->p_memsz > end)
      end = from + segment->p_memsz;
  }
  char exe[PATH_MAX] = "";
  const char *path = info->dlpi_name;
  if (!path || !*path) { /* the program itself has no name here */
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    path = exe;
  }
  if (end <= start || !*path)
    return 0;
  lines_reserve(lines, strlen(path) + 64);
  struct text *text = &lines->text;
  text_add(text, "module: ");
  text_add_number(text, clock_ticks());
  uintptr_t addresses[3] = {info->dlpi_addr, start, end};
  for (int i = 0; i < 3; i++) {
    text_add(text, " ");
    text_add_hex(text, addresses[i]);
  }
  text_add(text, " ");
  add_build_id(text, info);
  text_add(text, " ");
  text_add_escaped(text, path, strlen(path));
  text_add(text, "\n");
  return 0;
}

static int read_module_count(struct dl_phdr_info *info, size_t size, void *context)
{
  (void)size;
  *(unsigned long long *)context = info->dlpi_adds;
  return 1;
}

void process_file_add_modules(const char *directory)
{
  unsigned long long added = 0, known = atomic_load(&modules_added);
  dl_iterate_phdr(read_module_count, &added);
  if (added == known || !atomic_compare_exchange_strong(&modules_added, &known, added))
    return;
  struct lines lines;
  if (lines_open(&lines, directory, 0) != 0)
    return;
  dl_iterate_phdr(add_module, &lines);
  lines_close(&lines);
}

void process_file_forget_modules(void)
{
  atomic_store(&modules_added, 0);
}

int process_file_begin(const char *directory, const struct process_facts *facts, const struct settings *settings,
                       uint32_t ring_slots)
{
  struct lines lines;
  int error = lines_open(&lines, directory, O_CREAT | O_EXCL);
  if (error)
    return error;
  add_number(&lines, "heddle-raw", RAW_VERSION);
  add_string(&lines, "tool", facts->tool);
  add_string(&lines, "runtime", facts->runtime);
  add_string(&lines, "host", facts->host);
  add_number(&lines, "pid", (uint64_t)getpid());
  add_number(&lines, "ppid", (uint64_t)getppid());
  add_number(&lines, "start", facts->start_ns);
  add_start_jiffies(&lines);
  add_boot_id(&lines);
  add_string(&lines, "parent", facts->parent);
  add_link(&lines, "exe", "/proc/self/exe");
  add_command_line(&lines);
  add_link(&lines, "cwd", "/proc/self/cwd");
  add_environment(&lines);
  add_string(&lines, "clock", clock_is_tsc ? "tsc" : "monotonic");
  add_anchor(&lines);
  add_number(&lines, "window-size", settings->window);
  add_number(&lines, "ring-slots", ring_slots);
  add_number(&lines, "record-ticks", price_measure());
  error = lines_close(&lines);
  process_file_add_modules(directory);
  return error;
}

int process_file_add_line(const char *directory, const char *line, size_t size)
{
  struct lines lines;
  int error = lines_open(&lines, directory, 0);
  if (error)
    return error;
  if (write(lines.fd, line, size) != (ssize_t)size)
    lines.error = errno ? errno : EIO;
  return lines_close(&lines);
}

void process_file_add_tool(const char *directory, const char *tool, const char *runtime)
{
  struct lines lines;
  if (lines_open(&lines, directory, 0) != 0)
    return;
  add_string(&lines, "tool", tool);
  add_string(&lines, "runtime", runtime);
  lines_close(&lines);
}

void process_file_end(const char *directory, const char *how, const struct recorder_losses *losses)
{
  process_file_add_modules(directory);
  struct lines lines;
  if (lines_open(&lines, directory, 0) != 0)
    return;
  add_anchor(&lines);
  if (losses->threads) {
    lines_reserve(&lines, 0);
    text_add(&lines.text, "threads-lost: ");
    text_add_number(&lines.text, losses->threads);
    text_add(&lines.text, " ");
    text_add(&lines.text, diag_reason(losses->reason));
    text_add(&lines.text, "\n");
  }
  if (losses->chunks) {
    lines_reserve(&lines, 0);
    text_add(&lines.text, "chunks-lost: ");
    text_add_number(&lines.text, losses->chunks);
    text_add(&lines.text, " ");
    text_add(&lines.text, diag_reason(losses->reason));
    text_add(&lines.text, "\n");
  }
  if (losses->limit_reached)
    add_string(&lines, "limit", "HEDDLE_MAX_SIZE reached");
  lines_reserve(&lines, 0);
  text_add(&lines.text, "ended: ");
  text_add_number(&lines.text, clock_ticks());
  text_add(&lines.text, " ");
  text_add(&lines.text, how);
  text_add(&lines.text, "\n");
  lines_close(&lines);
}
