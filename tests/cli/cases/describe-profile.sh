# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim describe lenet5
egc-sim describe resnet50 | sed -n '2,9p;$p'
egc-sim describe gpt2-small | sed -n '3,5p'
