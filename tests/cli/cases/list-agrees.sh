# SPDX-License-Identifier: GPL-3.0-or-later
# What `list WHAT` prints is what stands under that heading, and methods include compressors.
for what in compressors workloads models datasets clusters exchanges codecs devices metrics; do
    egc-sim list | sed -n "/^$what/,/^$/s/^  //p" >under
    egc-sim list $what | sed 's/  */ /' >alone
    sed 's/  */ /' under | cmp - alone && [ -s alone ] && echo "$what agree"
done
egc-sim list methods | awk '{print $1}' | sort >methods
egc-sim list compressors | awk '{print $1}' | sort | comm -23 - methods
