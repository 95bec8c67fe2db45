# SPDX-License-Identifier: GPL-3.0-or-later
# Draws errors.svg from validation.csv: `gnuplot errors.gp` in this folder.
if (!exists("format")) format = "svg"
if (format eq "svg") set terminal svg size 1000,1500 background "white" font "Helvetica,13" noenhanced
if (format eq "png") set terminal pngcairo size 1000,1500 font "Helvetica,12" noenhanced
set output "errors.".format
set datafile separator comma
set tics nomirror out
set border 1
set grid xtics lc rgb "#DDDDDD"
set key off
set style fill solid
set lmargin at screen 0.33
set rmargin at screen 0.97

# Rows of the CSV that a pattern picks, and the names they stand under: each once, in their order.
rows(pattern) = "<grep '".pattern."' validation.csv"
names(pattern, print) = system("grep '".pattern."' validation.csv | tr -d '\"' | awk -F, '{ print \"\\\"\" ".print." \"\\\"\" }' | uniq")

last = ""
y = 0
line(name) = (name eq last ? y : (last = name, y = y - 1))
limit(n, at) = sprintf("set arrow %d from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#D55E00'", n, at, at)
both(n, at) = limit(n, at)."; ".limit(n + 1, -at)
begin(list) = sprintf("unset ytics; set ytics scale 0 (\"\" 0); set yrange [-%d.6:-0.4]; last = ''; y = 0", words(list))
color(verdict) = (verdict eq "yes" ? 0x0072B2 : verdict eq "no" ? 0xD55E00 : 0x999999)

set multiplot

set label 1 "Exchanges, and steps of a parameter server (ps), on a star, against their closed forms: error (%), limit dashed" at screen 0.02, screen 0.986
set tmargin at screen 0.975; set bmargin at screen 0.76
set xrange [-0.12:0.12]
eval both(1, 0.1)
what = "^forms,closed"
list = names(what, "substr($4, 1, index($4 \" \", \" \") - 1)")
eval begin(list)
do for [i = 1:words(list)] { set ytics add (word(list, i) -i) }
plot rows(what) using 11:(line(word(strcol(4), 1))) with points pt 6 ps 0.6 lc rgb "#0072B2"

set label 1 "Bandwidth from half to half of the hosts, both ways at once, against theory: error (%), limit dashed" at screen 0.02, screen 0.724
set tmargin at screen 0.715; set bmargin at screen 0.615
set xrange [-0.24:0.24]
eval both(1, 0.2)
what = "^forms,topology.*both ways"
list = names(what, "$4")
eval begin(list)
do for [i = 1:words(list)] { set ytics add (word(list, i) -i) }
plot rows(what) using 11:(line(strcol(4))) with points pt 6 ps 0.6 lc rgb "#0072B2"

set label 1 "Exchanges on stars, fat trees, tori, a dragonfly, racks and nodes, against SMPI's: error (%), limit dashed" at screen 0.02, screen 0.579
set tmargin at screen 0.57; set bmargin at screen 0.455
set xrange [-1.2:1.2]
eval both(1, 1)
what = "^smpi,"
list = names(what, "$4")
eval begin(list)
do for [i = 1:words(list)] { set ytics add (word(list, i) -i) }
plot rows(what) using 11:(line(strcol(4))) with points pt 6 ps 0.6 lc rgb "#0072B2"

set label 1 "ResNet-50 as published, from 8 GPUs on: error of samples/s (%), limits of 3 (BSP) and 10 dashed; grey: not judged" at screen 0.02, screen 0.419
set tmargin at screen 0.41; set bmargin at screen 0.03
set xrange [-26:26]
eval both(1, 10)
eval both(3, 3)
what = "ddl-benchmarks.*samples/s,[^,]*,[^4]*,102228128,"
list = names(what, "$6 \" \" $7 \" GPUs: \" $4")
eval begin(list)
set ytics font ",9.5"
do for [i = 1:words(list)] { set ytics add (word(list, i) -i) }
plot rows(what) using (0.5 * $11):(-$0 - 1):(abs(0.5 * $11)):(0.35):(color(strcol(14))) with boxxyerror lc rgb variable
unset multiplot
