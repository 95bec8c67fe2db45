# SPDX-License-Identifier: GPL-3.0-or-later
# `cmake --install` puts in place the program and the library libegc with its header, egc.pc for
# pkg-config and a package for CMake's find_package(egc). Components are Debian packages: Pack.cmake.
install(TARGETS egc-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT egc-sim)

install(TARGETS libegc EXPORT egc-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libegc0 NAMELINK_COMPONENT libegc-dev)
install(TARGETS libegc-static EXPORT egc-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libegc-dev)
install(FILES ${egc_header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/egc COMPONENT libegc-dev)

# Relative, so that an installed tree can be moved.
file(RELATIVE_PATH EGC_PC_TO_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/egc.pc.in egc.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/egc.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libegc-dev)

include(CMakePackageConfigHelpers)
set(egc_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/egc)
write_basic_package_version_file(egc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/egc-config-version.cmake
  DESTINATION ${egc_cmake_dir} COMPONENT libegc-dev)
install(EXPORT egc-targets FILE egc-config.cmake NAMESPACE egc::
  DESTINATION ${egc_cmake_dir} COMPONENT libegc-dev)

# Documentation, where each Debian package has its own.
foreach(component egc-sim libegc0 libegc-dev)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${component} RENAME copyright
    COMPONENT ${component})
endforeach()
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/egc-sim COMPONENT egc-sim)
install(FILES compressors/README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libegc-dev
  COMPONENT libegc-dev)
install(DIRECTORY scripts/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/egc-sim/examples
  COMPONENT egc-sim FILES_MATCHING PATTERN "*.lua")
