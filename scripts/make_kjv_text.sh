#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the data set kjv from Debian's packages bible-kjv and bible-kjv-text:
#
#   scripts/make_kjv_text.sh FOLDER
#
# writes kjv.train.txt, kjv.valid.txt and kjv.test.txt. Of each twenty chapters in a row the tenth is
# for validation, the twentieth for testing, and the others for training. Like Mikolov's Penn
# Treebank the text is in lower case and has no punctuation, one verse is one line, and what an
# apostrophe starts is a word ("brother 's"). The same packages always give the same bytes.
set -eu

folder=${1:?usage: scripts/make_kjv_text.sh FOLDER}
LC_ALL=C
export LC_ALL

command -v bible >/dev/null || {
  echo "make_kjv_text.sh: install the Debian packages bible-kjv and bible-kjv-text" >&2
  exit 1
}
mkdir -p "$folder"

# Each line of `bible -f` is one verse: "Ge1:1 In the beginning ...". In a folder that has a file
# of that name it would read bible.data there.
(cd / && bible -f 'Gen1:1-Rev22:21') | awk -v folder="$folder" '
  {
    chapter = $1
    sub(/:.*/, "", chapter)
    if (chapter != last) {
      n_chapters++
      last = chapter
    }
    line = tolower($0)
    sub(/^[^ ]* /, "", line)
    gsub(/[^a-z\47-]|--+/, " ", line)
    gsub(/\47/, " \47", line)
    gsub(/  +/, " ", line)
    gsub(/^ | $/, "", line)
    place = n_chapters % 20
    part = place == 10 ? "valid" : place == 0 ? "test" : "train"
    print line > (folder "/kjv." part ".txt.part")
  }
  END {
    if (NR != 31102 || n_chapters != 1189) {
      printf "make_kjv_text.sh: got %d verses in %d chapters, want 31102 in 1189\n", NR,
        n_chapters > "/dev/stderr"
      exit 1
    }
  }'

for part in train valid test; do
  mv "$folder/kjv.$part.txt.part" "$folder/kjv.$part.txt"
done
