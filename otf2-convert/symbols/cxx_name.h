/* Names of C++ functions. */
#ifndef HEDDLE_OTF2_CONVERT_SYMBOLS_CXX_NAME_H
#define HEDDLE_OTF2_CONVERT_SYMBOLS_CXX_NAME_H

/* A linkage name as programmers write it, with namespaces, classes and template arguments, but without parameters and
 * result: `grid::Solver<double>::step`. The caller frees it. NULL: it is no name of C++, or memory is short. Any
 * thread. */
char *cxx_name(const char *linkage);

#endif
