# join_sources(TARGET [HEADER header] [SIZE count]): if WHISKER_UNITY is on, compiles the files of a folder together, at
# most `count` at a time, because most of the compile time of a small file goes into the headers that all files include.
# Three kinds of files are compiled separately: kernels (NAME_kernels.cpp), which include themselves once per
# instruction set; files with their own compile options; and files that include CGAL, which has many names. The header,
# which includes what nearly all files include, is precompiled.
#
# Therefore names in the anonymous namespaces of one folder must differ.
option(WHISKER_UNITY "Compile several source files together: faster from scratch, slower after an edit" OFF)

function(join_sources target)
  if(NOT WHISKER_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 join "" "HEADER;SIZE" "")
  if(NOT join_SIZE)
    set(join_SIZE 12)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(join_HEADER)
    target_precompile_headers(${target} PRIVATE ${join_HEADER})
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder_of_target ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "_kernels\\.cpp$" OR NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder_of_target} OUTPUT_VARIABLE path)
    set(alone "")
    if(EXISTS ${path})  # otherwise the build generates it
      file(STRINGS ${path} alone REGEX "^#include <CGAL/" LIMIT_COUNT 1)
    endif()
    if(alone)
      continue()
    endif()
    cmake_path(GET path PARENT_PATH folder)
    cmake_path(GET folder FILENAME room)
    list(APPEND rooms ${room})
    list(APPEND files_of_${room} ${source})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  foreach(room IN LISTS rooms)
    # As few groups as the size allows, all of about the same size.
    list(LENGTH files_of_${room} count)
    math(EXPR groups "(${count} + ${join_SIZE} - 1) / ${join_SIZE}")
    set(number 0)
    foreach(source IN LISTS files_of_${room})
      math(EXPR group "${number} * ${groups} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${room}_${group})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()
