# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --install` puts in place the program, the compression library libegc with its headers, and
# egc.pc for pkg-config. libegc is one shared library made of the folders below compressors/ and
# sim/base; its headers keep their folders, reached through -I${includedir}/egc.
set(libegc_parts egc_base egc_kernels egc_codec egc_error_feedback egc_compressors)
add_library(libegc SHARED)
foreach(part ${libegc_parts})
  target_sources(libegc PRIVATE $<TARGET_OBJECTS:${part}>)
endforeach()
target_link_libraries(libegc PRIVATE PkgConfig::GSL m)
set_target_properties(libegc PROPERTIES
  OUTPUT_NAME egc VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C)

set(egc_include ${CMAKE_INSTALL_INCLUDEDIR}/egc)
install(TARGETS egc-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libegc LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES compressors/egc.h DESTINATION ${egc_include})
foreach(folder sim/base compressors/kernels compressors/codec compressors/error_feedback)
  get_filename_component(name ${folder} NAME)
  install(DIRECTORY ${folder}/ DESTINATION ${egc_include}/${name}
    FILES_MATCHING PATTERN "*.h" PATTERN "*_template.h" EXCLUDE)
endforeach()
foreach(name codec error_feedback)
  install(FILES compressors/${name}/list.def DESTINATION ${egc_include}/${name})
endforeach()
install(FILES compressors/plugin.h DESTINATION ${egc_include}/compressors)
install(DIRECTORY compressors/core/ DESTINATION ${egc_include}/compressors/core
  FILES_MATCHING PATTERN "*.h")

# Relative, so that an installed tree can be moved.
file(RELATIVE_PATH EGC_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/egc.pc.in egc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/egc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
