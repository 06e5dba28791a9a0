/* A copy of the kernel's page of code (common/process/vdso.h), so that a trace can be converted on another machine,
 * too. */
#ifndef HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_PAGE_H
#define HEDDLE_ANALYZER_RECORD_LAUNCH_KERNEL_PAGE_H

/* Writes it into the trace's directory for the kernel's logs, which is made. Without it only these functions' names are
 * unknown: failures are silent. */
void kernel_page_keep(int trace);

#endif
