# SPDX-License-Identifier: GPL-3.0-or-later
# libegc as users link it: one shared and one static library, and the one header <egc/egc.h>.
#
# The shared library is linked from the folders' static libraries, of which the linker takes the
# parts that compression needs: of sim/base no file or JSON code. All functions are hidden but those
# that egc.h declares with EGC_API (tests/install/exports.sh). GSL is a private dependency.

# egc.h with the text of base/public.h in place of its include.
set(egc_header ${CMAKE_BINARY_DIR}/include-egc/egc/egc.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/compressors/egc.h ${CMAKE_SOURCE_DIR}/sim/base/public.h)
file(READ compressors/egc.h header)
file(READ sim/base/public.h public)
if(NOT header MATCHES "EGC_VERSION_TEXT \"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "EGC_VERSION_TEXT in compressors/egc.h must be \"${PROJECT_VERSION}\"")
endif()
string(REGEX REPLACE "^.*#include <stddef.h>\n+" "" public "${public}")
string(REGEX REPLACE "\n+#endif\n$" "\n" public "${public}")
string(REPLACE "#include \"base/public.h\"\n" "${public}" header "${header}")
file(CONFIGURE OUTPUT ${egc_header} CONTENT "${header}" @ONLY)

add_library(libegc SHARED $<TARGET_OBJECTS:egc_api>)
target_link_libraries(libegc PRIVATE egc_flags egc_compressors)
set_target_properties(libegc PROPERTIES
  OUTPUT_NAME egc EXPORT_NAME egc LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

# An archive must hold all that the shared library took, so the parts of sim/base are named.
set(egc_base_parts "/(arena|bits|buf|element|error|half|hash|mem|param|quantity|registry|rng|text)[.]c")
add_library(libegc-static STATIC
  $<TARGET_OBJECTS:egc_api> $<TARGET_OBJECTS:egc_compressors> $<TARGET_OBJECTS:egc_codec>
  $<TARGET_OBJECTS:egc_error_feedback> $<TARGET_OBJECTS:egc_kernels>
  $<FILTER:$<TARGET_OBJECTS:egc_base>,INCLUDE,${egc_base_parts}>)
target_link_libraries(libegc-static INTERFACE gsl gslcblas m)
set_target_properties(libegc-static PROPERTIES
  OUTPUT_NAME egc EXPORT_NAME egc-static LINKER_LANGUAGE C)

foreach(library libegc libegc-static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include-egc> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
