# SPDX-License-Identifier: GPL-3.0-or-later
# egc_module(NAME FOLDER [AS PATH] [SOURCES ...] [LINKS ...] [PRIVATE_LINKS ...])
#
# One folder of the project as one static library. Its headers are reached as "PATH/header.h",
# where PATH is the folder's name unless AS gives another, through an include directory that holds
# that folder alone. Code can include only the folders it links to, so the compiler checks the
# layering of the architecture.

add_library(egc_flags INTERFACE)
target_compile_features(egc_flags INTERFACE c_std_11)
# No contraction: a*b+c rounds twice on every machine, so that results do not depend on the CPU.
target_compile_options(egc_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -ffp-contract=off -fno-math-errno)
if(EGC_WERROR)
  target_compile_options(egc_flags INTERFACE -Werror)
endif()
target_compile_definitions(egc_flags INTERFACE _GNU_SOURCE)
if(EGC_SANITIZE)
  target_compile_options(egc_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(egc_flags INTERFACE -fsanitize=address,undefined)
endif()
if(EGC_FUZZ)
  target_compile_options(egc_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(egc_include_dir folder path out)
  string(REPLACE "/" "-" name ${path})
  set(link ${CMAKE_BINARY_DIR}/include-${name}/${path})
  get_filename_component(parent ${link} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${folder} ${link} SYMBOLIC)
  set(${out} ${CMAKE_BINARY_DIR}/include-${name} PARENT_SCOPE)
endfunction()

# egc_registered(LIST MACRO PREFIX OUT [FOLDER ...]): the files that the lines MACRO(name) of LIST
# register, PREFIX + name + .c, each in this directory or in one of the folders.
function(egc_registered list macro prefix out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^${macro}\\(")
  set(found "")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "${macro}\\(([a-z0-9_]+)\\).*" "${prefix}\\1.c" file ${line})
    foreach(folder IN ITEMS "." ${ARGN})
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${file})
        list(APPEND found ${folder}/${file})
      endif()
    endforeach()
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(egc_module name folder)
  cmake_parse_arguments(arg "" "AS" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  if(NOT arg_AS)
    get_filename_component(arg_AS ${folder} NAME)
  endif()
  egc_include_dir(${folder} ${arg_AS} include_dir)
  add_library(${name} STATIC ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_include_directories(${name} PUBLIC ${include_dir})
  target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE egc_flags ${arg_PRIVATE_LINKS})
endfunction()
