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

struct page page_get(void)
{
  size_t size = (size_t)(heddle_page_end - heddle_page);
  const char *marker = memmem(heddle_page, size, PAGE_MARKER, strlen(PAGE_MARKER));
  if (!marker)
    abort(); /* a page that was not built from page/; the tests see to it */
  const char *tail = marker + strlen(PAGE_MARKER);
  return (struct page){heddle_page, tail, (size_t)(marker - heddle_page), (size_t)(heddle_page_end - tail)};
}
