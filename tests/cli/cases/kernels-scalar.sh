# SPDX-License-Identifier: GPL-3.0-or-later
EGC_KERNELS=scalar egc-sim version | grep kernels
