# SPDX-License-Identifier: GPL-3.0-or-later
egc-sim rnu x.lua
