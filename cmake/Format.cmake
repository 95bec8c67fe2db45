# SPDX-License-Identifier: GPL-3.0-or-later
find_program(CLANG_FORMAT clang-format)
if(CLANG_FORMAT)
  file(GLOB_RECURSE egc_format_files CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/sim/*.[ch] ${CMAKE_SOURCE_DIR}/compressors/*.[ch]
    ${CMAKE_SOURCE_DIR}/workloads/*.[ch] ${CMAKE_SOURCE_DIR}/tests/*.[ch])
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${egc_format_files} VERBATIM
    COMMENT "Formatting every C file")
endif()
