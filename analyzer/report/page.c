#include "analyzer/report/page.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a file, from NAME to NAME_end. The build gives the paths. */
#define EMBED(name, path)                                                                                              \
  __asm__(".pushsection .rodata, \"a\", @progbits\n"                                                                   \
          ".local " #name ", " #name "_end\n" #name ":\n"                                                              \
          ".incbin \"" path "\"\n" #name "_end:\n"                                                                     \
          ".byte 0\n"                                                                                                  \
          ".popsection\n");                                                                                            \
  extern const char name[], name##_end[]
EMBED(heddle_page, HEDDLE_PAGE_DIR "/page.html");
EMBED(heddle_sequences, HEDDLE_PAGE_DIR "/sequences.html");
EMBED(heddle_live_page, HEDDLE_PAGE_DIR "/live.html");

static struct page page_split(const char *begin, const char *end)
{
  size_t size = (size_t)(end - begin);
  const char *marker = memmem(begin, size, PAGE_MARKER, strlen(PAGE_MARKER));
  if (!marker)
    abort(); /* a page that was not built from page/; the tests see to it */
  const char *tail = marker + strlen(PAGE_MARKER);
  return (struct page){begin, tail, (size_t)(marker - begin), (size_t)(end - tail)};
}

struct page page_get(void)
{
  return page_split(heddle_page, heddle_page_end);
}

struct page page_sequences(void)
{
  return page_split(heddle_sequences, heddle_sequences_end);
}

struct live_page live_page_get(void)
{
  return (struct live_page){heddle_live_page, (size_t)(heddle_live_page_end - heddle_live_page)};
}
