# SPDX-License-Identifier: GPL-3.0-or-later
cp -r "$DATA/small" dir
egc-sim plot dir --format svg
# Every figure is a picture with its data and its script, and the script draws it again. (gnuplot
# warns of the degree sign where the locale is not UTF-8.)
cd dir/plots || exit
for script in *.gp; do
    name=${script%.gp}
    grep -q '</svg>' "$name.svg" || echo "no picture: $name"
    [ "$(wc -l <"$name.csv")" -gt 1 ] || echo "no data: $name"
    mv "$name.svg" before.svg
    LC_ALL=C.UTF-8 gnuplot -d "$script" || echo "not drawn again: $name"
    cmp before.svg "$name.svg"
done
