# Libraries for recorded programs that run with glibc 2.17, built with a newer one. Symbols that moved from libpthread and libdl to libc
# in glibc 2.34 have new versions there. Stubs with the versions before stand first when such a library is linked.
option(HEDDLE_OLD_GLIBC "Libraries for recorded programs need glibc 2.17 alone (x86-64)" OFF)
if(HEDDLE_OLD_GLIBC AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  message(FATAL_ERROR "HEDDLE_OLD_GLIBC is for x86-64 alone")
endif()

# heddle_glibc_stub(NAME SONAME VERSION SYMBOL... [VERSION SYMBOL...]): an empty library with these symbols
function(heddle_glibc_stub name soname)
  set(directory ${PROJECT_BINARY_DIR}/old-glibc)
  file(MAKE_DIRECTORY ${directory})
  set(code "")
  set(map "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "^GLIBC_")
      string(APPEND map "${end}${word} {\n")
      set(end "};\n")
    else()
      string(APPEND map "  ${word};\n")
      string(APPEND code "void ${word}(void) {}\n")
    endif()
  endforeach()
  file(WRITE ${directory}/${name}.c.new "${code}")
  file(WRITE ${directory}/${name}.map.new "${map}${end}")
  configure_file(${directory}/${name}.c.new ${directory}/${name}.c COPYONLY)
  configure_file(${directory}/${name}.map.new ${directory}/${name}.map COPYONLY)
  set(stub ${directory}/${soname})
  add_custom_command(OUTPUT ${stub}
                     COMMAND ${CMAKE_C_COMPILER} -w -fno-builtin -shared -fPIC -nostdlib -Wl,-soname,${soname}
                             -Wl,--version-script=${directory}/${name}.map -o ${stub} ${directory}/${name}.c
                     DEPENDS ${directory}/${name}.c ${directory}/${name}.map VERBATIM)
  set_property(GLOBAL APPEND PROPERTY HEDDLE_GLIBC_STUBS ${stub})
endfunction()

if(HEDDLE_OLD_GLIBC)
  heddle_glibc_stub(dl libdl.so.2 GLIBC_2.2.5 dlerror dladdr dlopen dlsym dlclose)
  heddle_glibc_stub(pthread libpthread.so.0
                    GLIBC_2.2.5 pthread_key_create pthread_setspecific pthread_attr_getstack pthread_attr_setstacksize pthread_create
                    pthread_getattr_np pthread_sigmask pthread_getcpuclockid pthread_testcancel pthread_mutex_timedlock
                    GLIBC_2.3.3 __pthread_register_cancel __pthread_unregister_cancel __pthread_unwind_next)
  get_property(stubs GLOBAL PROPERTY HEDDLE_GLIBC_STUBS)
  add_custom_target(heddle_glibc_stubs DEPENDS ${stubs})
endif()

# A target whose code is loaded into programs, or a part of one.
function(heddle_old_glibc target)
  if(NOT HEDDLE_OLD_GLIBC)
    return()
  endif()
  target_compile_options(${target} PRIVATE -include ${PROJECT_SOURCE_DIR}/common/process/old_glibc.h)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "MODULE_LIBRARY")
    get_property(stubs GLOBAL PROPERTY HEDDLE_GLIBC_STUBS)
    add_dependencies(${target} heddle_glibc_stubs)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/common/process/old_glibc.c)
    target_link_options(${target} PRIVATE -Wl,--push-state,--no-as-needed ${stubs} -Wl,--pop-state)
  endif()
endfunction()
