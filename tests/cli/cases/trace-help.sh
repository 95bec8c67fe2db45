# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim trace info --help && egc-sim trace record --help && egc-sim trace fit --help
