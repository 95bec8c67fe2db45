# SPDX-License-Identifier: GPL-3.0-or-later
# Refused before anything is measured.
for wrong in compressor 'compressors codecs' '--method topq' '--method topk:ratio' \
    '--method topk:ratio=2' '--method topk:ration=0.1' '--elements 0' '--seed x' \
    'kernels --elements 100' 'codecs --method topk' '--method signum:memory=momentum' \
    '--method topk --method topk:ratio=0.01' '--elements 5 --elements 5' \
    'kernels --csv no/such/folder/x.csv'; do
    echo "$wrong"
    # shellcheck disable=SC2086 # several words
    egc-sim bench $wrong 2>&1 | sed 's/\(valid: [^,]*, [^,]*, \).*/\1.../'
done
