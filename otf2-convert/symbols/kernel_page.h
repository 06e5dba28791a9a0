/*
 * The functions in the kernel's page of code (common/process/vdso.h), which is no file: from the converter's own
 * process if that has the same, or from the copies that `heddle record` kept.
 */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_KERNEL_PAGE_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_KERNEL_PAGE_H

#include "otf2-convert/symbols/symbols.h"

/* Whether a file of the directory of the kernel's logs is such a copy. */
bool kernel_page_is_copy(const char *name);

/* Those of the page with a build id; trace_fd: the trace's directory, -1: there is none. NULL: none is known.
 * symbols_close. */
struct symbols *kernel_page_symbols(int trace_fd, const char *build_id);

#endif
