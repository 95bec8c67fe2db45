# SPDX-License-Identifier: GPL-3.0-or-later
for setting in workers =5 = ''; do
    egc-sim run x.lua --set "$setting"
    echo "exit $?"
    egc-sim describe star --set "$setting"
    echo "exit $?"
    egc-sim plot --cluster star --set "$setting"
    echo "exit $?"
done
