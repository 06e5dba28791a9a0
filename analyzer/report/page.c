#include "analyzer/report/page.h"

#include <stdlib.h>
#include <string.h>

/* HEDDLE_PAGE, the file's path, comes from the build. */
__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".local heddle_page, heddle_page_end\n"
        "heddle_page:\n"
        ".incbin \"" HEDDLE_PAGE "\"\n"
        "heddle_page_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char heddle_page[], heddle_page_end[];

struct page page_split(const char *begin, const char *end)
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
