# heddle_test(NAME COMMAND...): add_test(), with the stage of the test (tests/stages) as a label.
# heddle_check_stages(): fails if a line of tests/stages has no test.
set(HEDDLE_STAGES_FILE ${PROJECT_SOURCE_DIR}/tests/stages)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${HEDDLE_STAGES_FILE})
file(STRINGS ${HEDDLE_STAGES_FILE} HEDDLE_STAGES REGEX "^(landing|all) ")
list(FILTER HEDDLE_STAGES EXCLUDE REGEX "::") # pytest looks at tests in a file

function(heddle_test name)
  add_test(NAME ${name} ${ARGN})
  foreach(line IN LISTS HEDDLE_STAGES)
    string(REGEX MATCH "^([a-z]+) +(.*)$" line "${line}")
    set(stage ${CMAKE_MATCH_1})
    set(pattern "${CMAKE_MATCH_2}")
    if(name MATCHES "^(${pattern})$")
      set_property(TEST ${name} APPEND PROPERTY LABELS ${stage})
      set_property(GLOBAL APPEND PROPERTY HEDDLE_STAGES_USED "${pattern}")
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "tests/stages has no stage for the test ${name}: add a line")
endfunction()

function(heddle_check_stages)
  get_property(used GLOBAL PROPERTY HEDDLE_STAGES_USED)
  foreach(line IN LISTS HEDDLE_STAGES)
    string(REGEX REPLACE "^[a-z]+ +" "" pattern "${line}")
    if(NOT pattern IN_LIST used AND NOT pattern MATCHES "^fuzz") # fuzz targets are in another tree
      message(FATAL_ERROR "tests/stages: there is no test ${pattern}: remove the line, or mend it")
    endif()
  endforeach()
endfunction()
