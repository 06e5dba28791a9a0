/* A plug-in of a version that there never was. */
#include <heddle-transform.h>

const struct heddle_transform heddle_transform = {.version = 99};
