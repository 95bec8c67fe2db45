# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DINPUT=file -DOUTPUT=file.c -DNAME=symbol -P embed.cmake
# Writes a C file that defines `const char NAME[]` with the bytes of INPUT and a terminator, and
# `const size_t NAME_length`. An array of numbers, since C limits the length of string literals.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)"
       "\\1\n    " bytes "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\n
extern const char ${NAME}[];
extern const size_t ${NAME}_length;
const char ${NAME}[] = {
    ${bytes}0};
const size_t ${NAME}_length = sizeof ${NAME} - 1;\n")
