#include "analyzer/report/live_page.h"

/* HEDDLE_PAGE, the file's path, comes from the build. */
__asm__(".pushsection .rodata, \"a\", @progbits\n"
        ".local heddle_live_page, heddle_live_page_end\n"
        "heddle_live_page:\n"
        ".incbin \"" HEDDLE_PAGE "\"\n"
        "heddle_live_page_end:\n"
        ".byte 0\n"
        ".popsection\n");
extern const char heddle_live_page[], heddle_live_page_end[];

struct live_page live_page_get(void)
{
  return (struct live_page){heddle_live_page, (size_t)(heddle_live_page_end - heddle_live_page)};
}
