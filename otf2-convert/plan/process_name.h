/* The name of a process in the archive. */
#ifndef HEDDLE_OTF2_CONVERT_PLAN_PROCESS_NAME_H
#define HEDDLE_OTF2_CONVERT_PLAN_PROCESS_NAME_H

#include "otf2-convert/plan/process_info.h"

/*
 * The executable's name without its folder; for java, if its command line says so, the main class (com.acme.App), or
 * the name of the .jar or .java file. NULL: the executable is unknown. A part of the info's own texts.
 */
const char *process_name(const struct process_info *info);

#endif
