# heddle_unity(TARGET): compiles the sources of each folder as one, in parts of at most HEDDLE_UNITY_FILES files. Headers are then read once
# a part, which takes a third of the time. Names of static functions are therefore unique within a folder. Files named in the further arguments
# stay alone: tests put something else in their place, or their functions need options of their own.
set(HEDDLE_UNITY_FILES 24 CACHE STRING "Files that are compiled as one; 1: each file by itself, as tools that read one file at a time want it")

function(heddle_unity target)
  if(HEDDLE_UNITY_FILES LESS 2)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}/" "" path ${source}) # of sources that a folder below has added
    # Names of made files are the same in each directory, so two builds are equal.
    string(REPLACE "${PROJECT_BINARY_DIR}/" "" path ${path})
    string(REPLACE "${PROJECT_SOURCE_DIR}/" "" path ${path})
    if(NOT source MATCHES "\\.c$" OR path IN_LIST ARGN)
      continue()
    endif()
    get_filename_component(folder ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${target}_${folder}" folder)
    if(NOT DEFINED files_${folder})
      set(files_${folder} 0)
    endif()
    math(EXPR part "${files_${folder}} / ${HEDDLE_UNITY_FILES}")
    math(EXPR files_${folder} "${files_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
endfunction()
