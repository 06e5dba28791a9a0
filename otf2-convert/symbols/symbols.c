#include "otf2-convert/symbols/symbols.h"

#include "otf2-convert/symbols/symbols_headers.h"
#include "otf2-convert/symbols/symbols_libgomp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *no_debuginfo_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = dwfl_offline_section_address,
                                         .debuginfo_path = &no_debuginfo_path};

static bool build_id_matches(Dwfl_Module *module, const char *expected)
{
  const unsigned char *bits;
  GElf_Addr address;
  int n = dwfl_module_build_id(module, &bits, &address);
  if (n <= 0 || strcmp(expected, "-") == 0)
    return true;
  for (int i = 0; i < n; i++) {
    char hex[3];
    snprintf(hex, sizeof hex, "%02x", bits[i]);
    if (strncmp(expected + 2 * i, hex, 2) != 0)
      return false;
  }
  return true;
}

/* Opens a file that is one: not a pipe, which would make us wait, nor a device. */
static int open_file(const char *path)
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

struct symbols *symbols_open(const char *path, const char *build_id)
{
  struct symbols *symbols = calloc(1, sizeof *symbols);
  if (symbols == NULL || path[0] != '/' || (symbols->dwfl = dwfl_begin(&callbacks)) == NULL) {
    free(symbols);
    return NULL;
  }
  int fd = open_file(path);
  dwfl_report_begin(symbols->dwfl);
  if (fd >= 0 && (symbols->module = dwfl_report_elf(symbols->dwfl, path, path, fd, 0, false)) == NULL)
    close(fd); /* else it is the library's now */
  dwfl_report_end(symbols->dwfl, NULL, NULL);
  if (symbols->module == NULL || !build_id_matches(symbols->module, build_id)) {
    symbols_close(symbols);
    return NULL;
  }
  symbols_read_tables(symbols);
  GElf_Addr bias;
  symbols->code = code_open(dwfl_module_getelf(symbols->module, &bias));
  return symbols;
}

void symbols_close(struct symbols *symbols)
{
  if (symbols == NULL)
    return;
  frame_rules_close(symbols->frames);
  code_close(symbols->code);
  dwfl_end(symbols->dwfl);
  symbols_free_tables(symbols);
  free(symbols);
}

struct source_place symbols_find(struct symbols *symbols, uint64_t offset)
{
  struct source_place place = {.function = "", .file = ""};
  uint64_t address = offset - 1; /* the call is before its return address */
  if (symbols_outlined(symbols, address, &place))
    return place;
  const struct line_row *line = symbols_line(symbols, address);
  const struct function *function = symbols_function(symbols, address);
  const char *name = function != NULL ? function->name : NULL;
  if (line != NULL && line->file != STRING_TABLE_NONE) {
    place.file = symbols->files.items.items[line->file];
    place.line = line->line;
  }
  symbols_leave_headers(symbols, function, address, &place);
  if (function != NULL) {
    place.into = offset - function->low;
  } else {
    GElf_Off into;
    GElf_Sym symbol;
    name = dwfl_module_addrinfo(symbols->module, address, &into, &symbol, NULL, NULL, NULL);
    place.into = name != NULL ? into + 1 : 0;
  }
  if (name != NULL) /* without lines the compiler's number distinguishes the constructs of a function */
    place.function = place.line == 0 && symbols_is_outlined(name) ? symbols_kept_name(symbols, name)
                                                                  : symbols_plain_name(symbols, name);
  if (symbols->code != NULL)
    symbols_libgomp(symbols, offset, function, &place);
  return place;
}

const char *symbols_object(struct symbols *symbols, uint64_t offset, uint64_t *into)
{
  GElf_Sym symbol;
  const char *name = dwfl_module_addrinfo(symbols->module, offset, into, &symbol, NULL, NULL, NULL);
  bool variable = name != NULL && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && *into < symbol.st_size;
  return variable ? symbols_plain_name(symbols, name) : NULL;
}
