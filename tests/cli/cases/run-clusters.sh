# SPDX-License-Identifier: GPL-3.0-or-later
# Every cluster can be trained on; one from a file has no bandwidth or latency to be named by.
cat >x.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="125MBps" lat="25us"
    loopback_bw="1GBps" loopback_lat="1us"/>
</platform>
END
cat >clusters.lua <<'END'
local c = egc.cluster
return egc.experiment {
  name = "clusters", workers = 8, steps = 2, method = "none", seed = 1,
  workload = egc.workload.synthetic { model = "lenet5" },
  cluster = egc.each {
    c.star {}, c.fat_tree { children = { 4, 2 }, parents = 2 }, c.torus { dims = { 4, 2 } }, c.dragonfly { nodes = 1 },
    c.racks { racks = 2, rack_hosts = 4 }, c.hierarchical { nodes = 2, gpus = 4 },
    c.wan { server = "1Gbps", clients = { { hosts = 4 }, { hosts = 4, up = "5Mbps", latency = "40ms" } } },
    c.platform { file = "x.xml" },
  },
}
END
egc-sim run clusters.lua --out out --quiet | grep '^clusters'
awk -F, 'NR > 1 { printf "%s [%s] [%s] %s %.6g\n", $9, $10, $11, $15, $34 }' out/runs.csv
