/* The languages that code is generated in. */
#ifndef HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGE_H
#define HEDDLE_ANALYZER_EXCHANGE_GENERATE_LANGUAGE_H

enum generate_language { GENERATE_C, GENERATE_FORTRAN, GENERATE_JAVA, GENERATE_PYTHON };
#define GENERATE_LANGUAGES "c|fortran|java|python" /* in this order */

#endif
