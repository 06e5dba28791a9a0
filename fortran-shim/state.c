#include "fortran-shim/state.h"

atomic_int provider_state;
struct callbacks tool;
extension_doacross_wait *tool_doacross_wait;
__thread struct thread self __attribute__((tls_model("initial-exec")));
