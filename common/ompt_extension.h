/*
 * What libheddle-gomp.so tells beyond OMPT. A tool gets it from the lookup function by names that OMPT does not have,
 * so any other tool gets what OMPT says and nothing else.
 */
#ifndef HEDDLE_COMMON_OMPT_EXTENSION_H
#define HEDDLE_COMMON_OMPT_EXTENSION_H

/*
 * In a callback, on its thread: the begin of the function that the compiler outlined from the construct which the
 * callback tells of. NULL: none was. Optimizing compilers move code around calls, so that a return address may say
 * nothing about the construct; the outlined function is the construct.
 */
#define EXTENSION_OUTLINED_FUNCTION "heddle_outlined_function"
typedef const void *extension_outlined_function(void);

/*
 * Sets what is called when a thread begins to wait for an iteration of a doacross loop, ordered depend(sink: ...), of
 * which OMPT tells the end alone: by the callback `dependences`. NULL: nothing. While the tool is started.
 */
#define EXTENSION_SET_DOACROSS_WAIT "heddle_set_doacross_wait"
typedef void extension_doacross_wait(const void *code);
typedef void extension_set_doacross_wait(extension_doacross_wait *callback);

#endif
