# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim describe topkk 2>message
status=$?
cut -d';' -f1 message
grep -c '; valid: none, topk, .*and the names in `egc-sim list metrics`$' message
exit $status
