# SPDX-License-Identifier: GPL-3.0-or-later
# Compression charged by a table: what a benchmark writes is one, its numbers are what is charged and
# part of what a run is. Charged by measuring: the rows say so, and no others are mixed with them.
small=$EXPERIMENTS/small.lua

# ---- a table that a benchmark wrote --------------------------------------------------------------

ends 0 egc-sim bench compressors --method topk:ratio=0.25 --elements 1000 --elements 300000 \
    --csv costs.csv
[ "$(rows costs.csv)" -eq 2 ] || fail "two sizes must have a row each"
column costs.csv elements | tr '\n' ' ' | grep -qx '1000 300000 ' || fail "other sizes than asked for"
by_table="--set cost=table --set cost_table=costs.csv"
for jobs in 1 2; do
    # shellcheck disable=SC2086 # several words
    ends 0 egc-sim run "$small" --out "with-$jobs" --jobs "$jobs" $by_table
done
same_results with-1 with-2
grep -q reproducible with-1/runs.csv && fail "a table gives the same times each time"

# ---- its numbers ---------------------------------------------------------------------------------

table() {
    printf 'method,params,elements,encode_s,decode_s\ntopk,ratio=0.25,1000,%s,2e-6\n' "$1" >costs.csv
}
# charges ENCODE_S SCALE: of a thousand elements, so all of the model takes in proportion; each
# worker decodes two messages.
charges() {
    awk -F, -v encode_s="$1" -v scale="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["method"] == "topk" {
            n = $at["params"] / 1000 * scale
            good = close_to($at["compress_s"], n * encode_s) && close_to($at["decompress_s"], n * 4e-6)
        }
        $at["method"] == "none" && $at["compress_s"] != 0 { exit 1 }
        function close_to(a, b) { return a > b * (1 - 1e-6) && a < b * (1 + 1e-6) }
        END { exit !good }' here/runs.csv || fail "other times than those of the table"
}
table 1e-6
# shellcheck disable=SC2086
ends 0 egc-sim run "$small" --out here $by_table
charges 1e-6 1
column here/runs.csv run_id >ids
table 3e-6
id=$(awk -F, '$0 ~ /topk/ { print $1 }' here/runs.csv)
# shellcheck disable=SC2086
refuses 1 "here: holds 1 finished run that the experiment does not have, the first is $id; choose a new folder with --out, without --resume" \
    egc-sim run "$small" --out here --resume $by_table
rm -r here
# shellcheck disable=SC2086
ends 0 egc-sim run "$small" --out here $by_table
charges 3e-6 1
column here/runs.csv run_id | cmp -s ids - && fail "a table with other numbers makes another run"
cp here/runs.csv first.csv
echo qsgd,,1000,1,1 >>costs.csv
# shellcheck disable=SC2086
ends 0 egc-sim run "$small" --out here --resume $by_table
cmp first.csv here/runs.csv || fail "rows of other methods make no difference"
rm -r here
# shellcheck disable=SC2086
ends 0 egc-sim run "$small" --out here $by_table --set cost_scale=7
charges 3e-6 7
rm -r here

# ---- tables that are no good: nothing is run -----------------------------------------------------

by_table() {
    refuses 1 "--set cost_table=costs.csv: cost_table: $1" egc-sim run "$small" \
        --set cost=table --set cost_table=costs.csv
}
remedy="\`egc-sim bench compressors --method 'topk:ratio=0.25' --csv FILE\` measures it, and params \"*\" in a row means any"
sed 's/ratio=0.25/ratio=0.2/' costs.csv >other.csv && mv other.csv costs.csv
by_table "costs.csv: has no row of method topk ratio=0.25; $remedy"
table fast
by_table 'costs.csv:2: encode_s must be a number >= 0, got "fast"'
echo method,elements >costs.csv
by_table 'costs.csv: has no column params; must have method, params, elements, encode_s and decode_s, as written by `egc-sim bench compressors --csv FILE`'
rm costs.csv
by_table 'costs.csv: cannot open: No such file or directory'
refuses 1 '--set cost=table: cost_table: is missing; with cost = "table" it must name a file written by `egc-sim bench compressors --csv FILE`' \
    egc-sim run "$small" --set cost=table
refuses 1 '--set cost_scale=0: cost_scale: must be in (0, 1000000000], got 0' \
    egc-sim run "$small" --set cost_scale=0

# ---- measured ------------------------------------------------------------------------------------

ends 0 egc-sim run "$small" --out model --quiet
ends 0 egc-sim run "$small" --out here --set 'cost=egc.each{"measured", "model"}' --jobs 2
grep -q 'cost = "measured": the time of compression is measured on this machine' "$SCRATCH/stderr" ||
    fail "it must be said that times are measured"
grep -q '2 points at a time slow each other down' "$SCRATCH/stderr" || fail "jobs disturb"
[ "$(column here/runs.csv reproducible | sort | uniq -c | tr -d ' \n')" = 2no2yes ] ||
    fail "two of four points are measured"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["method"] == "topk" && $at["reproducible"] == "no" && $at["compress_s"] > 0 &&
        $at["decompress_s"] > 0 { good = 1 }
    END { exit !good }' here/runs.csv || fail "nothing was measured"
column here/runs.csv accuracy | sort -u >learnt
column model/runs.csv accuracy | sort -u | cmp learnt - || fail "what is learnt depends on times"
apart='cost: measured times of different runs must not be mixed; run all points at once into a new folder, without --resume or --shard'
refuses 1 "$apart" egc-sim run "$small" --out here --set cost=measured --resume --quiet
refuses 1 "$apart" egc-sim run "$small" --out there --set cost=measured --shard 1/2 --quiet
