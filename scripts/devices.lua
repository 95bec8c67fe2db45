-- SPDX-License-Identifier: GPL-3.0-or-later
-- Compute devices, as the cost model sees them. `flops` is the peak in single precision;
-- `efficiency` the share of it that training reaches; `memory` the peak bandwidth of the device's
-- memory, of which real kernels reach less: what they take is never charged too high; `launch` the
-- time one kernel launch adds; `idle_power` and `busy_power` what it draws when idle and at full
-- load. `egc-sim describe NAME` prints the sources.
--
-- A device of your own needs no entry here: write the numbers where a name would stand, as in
-- device = { flops = "30Tflops", efficiency = 0.5, memory = "700GB/s", launch = "5us" }.

-- 367 images/s in FP32, times 3 passes of 4.1 GMAC (He et al. 2015) at 2 flop each, over the peak.
local v100_resnet50 = "367 images/s of ResNet-50 in FP32 on one V100 (NVIDIA DeepLearningExamples, "
  .. "PyTorch ResNet50 v1.5, DGX-1 16 GB) at 24.6 Gflop an image is 9.0 Tflops"

-- An empty pipeline and a full one differ much; neither is what a compressor meets.
local v100_launch = "assumed between 0.9 us (launched back to back) and 6.7 us (waited for), from "
  .. "NVIDIA, Getting Started with CUDA Graphs, 2019: a 2.9 us kernel takes 3.8 us and 9.6 us"

return {
  {
    name = "v100",
    summary = "NVIDIA Tesla V100 SXM2",
    flops = { value = "15.7Tflops", source = "NVIDIA Tesla V100 data sheet: single precision" },
    efficiency = { value = 0.57, source = v100_resnet50 },
    memory = { value = "900GB/s", source = "NVIDIA Tesla V100 data sheet" },
    launch = { value = "5us", source = v100_launch },
    idle_power = { value = "37.5W", source = "assumed: an eighth of the busy power" },
    busy_power = { value = "300W", source = "NVIDIA Tesla V100 data sheet: maximum power of SXM2" },
  },
  {
    name = "a100",
    summary = "NVIDIA A100 SXM4 40 GB, without TF32",
    flops = { value = "19.5Tflops", source = "NVIDIA A100 data sheet: FP32" },
    efficiency = { value = 0.57, source = "assumed to be that of the V100 in FP32" },
    memory = { value = "1555GB/s", source = "NVIDIA A100 data sheet: 40 GB SXM" },
    launch = { value = "5us", source = "assumed to be that of the V100" },
    idle_power = { value = "50W", source = "assumed: an eighth of the busy power" },
    busy_power = {
      value = "400W",
      source = "NVIDIA A100 data sheet: maximum thermal design power of SXM",
    },
  },
  {
    name = "h100",
    summary = "NVIDIA H100 SXM5 80 GB, without TF32",
    flops = { value = "66.9Tflops", source = "NVIDIA H100 architecture white paper: FP32, SXM5" },
    efficiency = { value = 0.57, source = "assumed to be that of the V100 in FP32" },
    memory = { value = "3350GB/s", source = "NVIDIA H100 data sheet: SXM" },
    launch = { value = "5us", source = "assumed to be that of the V100" },
    idle_power = { value = "87.5W", source = "assumed: an eighth of the busy power" },
    busy_power = {
      value = "700W",
      source = "NVIDIA H100 data sheet: maximum thermal design power of SXM",
    },
  },
  {
    name = "cpu-core",
    summary = "one core of an Intel Xeon Gold 6148, all 20 busy",
    flops = {
      value = "102.4Gflops",
      source = "2 AVX-512 FMA units of 16 floats, 2 flop each, at the AVX-512 base of 1.6 GHz "
        .. "(Intel Xeon Scalable specification update)",
    },
    efficiency = { value = 0.5, source = "assumed; small layers leave vector units idle" },
    memory = {
      value = "6.4GB/s",
      source = "a twentieth of six channels of DDR4-2666, 128 GB/s a socket (Intel ARK)",
    },
    launch = { value = 0, source = "a function call: nothing is launched" },
    idle_power = { value = "1.875W", source = "assumed: a quarter of the busy power" },
    busy_power = {
      value = "7.5W",
      source = "a twentieth of the socket's 150 W of thermal design power (Intel ARK)",
    },
  },
  {
    name = "edge",
    summary = "NVIDIA Jetson Nano",
    flops = {
      value = "235.9Gflops",
      source = "128 CUDA cores, 2 flop each, at 921.6 MHz (Jetson Nano data sheet)",
    },
    efficiency = { value = 0.57, source = "assumed to be that of the V100 in FP32" },
    memory = { value = "25.6GB/s", source = "Jetson Nano data sheet: 64-bit LPDDR4" },
    launch = { value = "10us", source = "assumed to be twice that of the V100: a slower CPU" },
    idle_power = { value = "1.25W", source = "assumed: an eighth of the busy power" },
    busy_power = {
      value = "10W",
      source = "Jetson Nano data sheet: the larger of its two power budgets, 5 W and 10 W",
    },
  },
}
