/*
 * The lives of objects: where each was initialized, which one it is of those that this code initialized, and whether
 * the trace tells of it already. As many as there is room for; others are as if they had a static initializer.
 *
 * Any thread, no lock, no allocation; a program that initializes an object while another thread uses it gets
 * undefined behaviour anyway.
 */
#ifndef HEDDLE_PTHREAD_LAYER_OBJECTS_H
#define HEDDLE_PTHREAD_LAYER_OBJECTS_H

#include <stdint.h>

/* A life begins, at this code. kind: enum raw_pthread. */
void objects_init(unsigned kind, const void *object, uintptr_t code);
/* The same where it may have begun before. */
void objects_init_once(unsigned kind, const void *object, uintptr_t code);
/* It ends; the trace gets to know of that if it knows of the object. */
void objects_destroy(const void *object);
/* Before a wait for it is recorded: tells the trace of this life, once. kind: where it was not initialized. */
void objects_tell(unsigned kind, const void *object);

#endif
