/*
 * What a JVM refuses, and would no longer refuse once the class is woven: then there are further constants, and more
 * room for variables.
 */
#ifndef HEDDLE_JVMTI_AGENT_WEAVER_SOUND_H
#define HEDDLE_JVMTI_AGENT_WEAVER_SOUND_H

#include "jvmti-agent/weaver/class_file.h"

/* Whether all constants that the class, its members and its instructions name are there, and the variables fit. */
bool class_is_sound(const struct class_file *file);

/* class_file_read() of a class to be woven. False: also if it is not sound. */
bool class_read_sound(struct class_file *file, const uint8_t *bytes, size_t size);

#endif
