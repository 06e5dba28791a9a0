/* A plug-in: one parallel region, which adds up something that hangs on its name. */
#ifndef HEDDLE_TESTS_SOAK_PLUGIN_H
#define HEDDLE_TESTS_SOAK_PLUGIN_H

typedef unsigned long plugin_work_t(unsigned n);
plugin_work_t plugin_work;

#endif
