# SPDX-License-Identifier: GPL-3.0-or-later
# None of these is a number of jobs.
for jobs in 0 -1 2x '' 99999999999 1.5; do
    egc-sim run x.lua --jobs="$jobs"
    echo $?
done
