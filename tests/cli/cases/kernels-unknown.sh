# SPDX-License-Identifier: GPL-3.0-or-later
EGC_KERNELS=mmx egc-sim version 2>message
status=$?
cut -d';' -f1 message
exit $status
