# SPDX-License-Identifier: GPL-3.0-or-later
# `cpack` in a build folder makes three Debian packages of the components of Install.cmake: egc-sim,
# libegc0 and libegc-dev. dpkg-shlibdeps says what they depend on.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "egc-sim maintainers <egc-sim@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL egc-sim libegc0 libegc-dev)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON) # so that programs linked to libegc depend on libegc0

set(CPACK_COMPONENT_EGC-SIM_DESCRIPTION
  "Testbed for gradient compression in simulated clusters\n Trains with real compressed gradients inside a cluster that SimGrid models.")
set(CPACK_DEBIAN_EGC-SIM_PACKAGE_NAME egc-sim)
set(CPACK_DEBIAN_EGC-SIM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_EGC-SIM_PACKAGE_SUGGESTS "gnuplot, dataset-fashion-mnist")

set(CPACK_COMPONENT_LIBEGC0_DESCRIPTION
  "Gradient compression for data-parallel training (library)\n Turns gradients into bytes and the bytes of all workers into their mean.")
set(CPACK_DEBIAN_LIBEGC0_PACKAGE_NAME libegc0)
set(CPACK_DEBIAN_LIBEGC0_PACKAGE_SECTION libs)

set(CPACK_COMPONENT_LIBEGC-DEV_DESCRIPTION
  "Gradient compression for data-parallel training (development)\n The header egc/egc.h, the static library, and files for pkg-config and CMake.")
set(CPACK_DEBIAN_LIBEGC-DEV_PACKAGE_NAME libegc-dev)
set(CPACK_DEBIAN_LIBEGC-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBEGC-DEV_PACKAGE_DEPENDS "libegc0 (= ${PROJECT_VERSION}), libgsl-dev")

include(CPack)
