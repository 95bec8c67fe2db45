# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim list metrics >/dev/full
