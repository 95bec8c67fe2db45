# SPDX-License-Identifier: GPL-3.0-or-later
# egc_module(NAME DIR [SOURCES ...] [LINKS ...] [PRIVATE_LINKS ...])
#
# One folder of the project as one static library. Its headers are reached as "FOLDER/header.h"
# through an include directory that holds that folder alone, so that code can include only the
# folders it links to: the layering of the architecture is checked by the compiler.

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

function(egc_include_dir folder out)
  get_filename_component(name ${folder} NAME)
  set(dir ${CMAKE_BINARY_DIR}/include-${name})
  file(MAKE_DIRECTORY ${dir})
  file(CREATE_LINK ${folder} ${dir}/${name} SYMBOLIC)
  set(${out} ${dir} PARENT_SCOPE)
endfunction()

# The files that the lines of a list.def register: MACRO(name) is PREFIX + name + .c.
function(egc_registered list macro prefix out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} lines REGEX "^${macro}\\(")
  list(TRANSFORM lines REPLACE "${macro}\\(([a-z0-9_]+)\\).*" "${prefix}\\1.c")
  set(${out} ${lines} PARENT_SCOPE)
endfunction()

function(egc_module name folder)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  egc_include_dir(${folder} include_dir)
  add_library(${name} STATIC ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${name} PUBLIC ${include_dir})
  target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE egc_flags ${arg_PRIVATE_LINKS})
endfunction()
