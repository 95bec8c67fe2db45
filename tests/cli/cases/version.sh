# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim version >versions
awk '{print $1}' versions
# Each has one, and --version is the same.
awk 'NF < 2' versions
egc-sim --version | cmp - versions
