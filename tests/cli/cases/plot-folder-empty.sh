# SPDX-License-Identifier: GPL-3.0-or-later
mkdir empty
egc-sim plot empty
