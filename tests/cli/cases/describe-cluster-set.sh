# SPDX-License-Identifier: GPL-3.0-or-later
# A cluster with some parameters set, and settings that make no sense.
egc-sim describe fat_tree --set levels=3 --set children='{4,2}' --set parents=1 --set bandwidth=10Gbps
facts() { egc-sim describe "$@" | sed '/^$/,$d; /^  reference/d'; }
facts torus --set 'dims={8,2}'
facts wan --set server=1Gbps --set 'clients={{hosts=2, up="1Mbps"}, {latency="80ms"}}'
facts wan --set hosts=40 --set spread=0.5 --set latency_spread=0.2
cat >x.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="125MBps" lat="50us"
    bb_bw="500MBps" bb_lat="10us" loopback_bw="1GBps" loopback_lat="1us"/>
</platform>
END
facts platform --set file=x.xml
facts platform --set file=x.xml --set 'hosts=n[0-3],n7'
for setting in 'level=3' 'levels=0' 'levels=three' 'children={4,4,4}' 'levels' 'device=abacus'; do
    egc-sim describe fat_tree --set "$setting" 2>&1
    echo "exit $?"
done
egc-sim describe topk --set ratio=0.1 2>&1
echo "exit $?"
egc-sim describe platform --set file=y.xml 2>&1
echo "exit $?"
