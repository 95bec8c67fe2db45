// SPDX-License-Identifier: GPL-3.0-or-later
// A program of a user in C++17: every method of the listing that takes one round, over the vector
// interface, in threads of its own: objects of different threads share nothing.
#include <egc/egc.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using vector_handle = std::unique_ptr<egc_vector, decltype(&egc_vector_free)>;

static vector_handle make_vector(const std::string &method, size_t n, size_t rank, size_t n_workers,
                                 egc_status &status)
{
    egc_vector *vector = nullptr;
    status = egc_vector_new(method.c_str(), nullptr, n, rank, n_workers, &vector, nullptr);
    return vector_handle(vector, egc_vector_free);
}

// Two workers average three gradients; -1 for a failure, else the bytes of a message.
static long play(const std::string &method)
{
    constexpr size_t n = 4000, n_workers = 2;
    egc_status status = EGC_OK;
    vector_handle a = make_vector(method, n, 0, n_workers, status);
    if (status == EGC_ERROR_UNSUPPORTED)
        return 0; // takes several rounds
    vector_handle b = make_vector(method, n, 1, n_workers, status);
    std::vector<float> gradient(n), mean_a(n), mean_b(n);
    egc_message messages[n_workers] = {};
    for (int step = 0; step < 3; step++) {
        for (size_t i = 0; i < n; i++)
            gradient[i] =
                static_cast<float>((i * 7919 + 104729u * static_cast<size_t>(step)) % 1013) / 1013 -
                0.5f;
        if (egc_vector_encode(a.get(), gradient.data(), &messages[0], nullptr) ||
            egc_vector_encode(b.get(), gradient.data(), &messages[1], nullptr) ||
            egc_vector_average(a.get(), messages, n_workers, mean_a.data(), nullptr) ||
            egc_vector_average(b.get(), messages, n_workers, mean_b.data(), nullptr) ||
            mean_a != mean_b)
            return -1;
    }
    return static_cast<long>(messages[0].len);
}

int main()
{
    std::vector<std::string> methods;
    egc_description entry;
    for (size_t i = 0; egc_listing_get(EGC_LISTING_METHODS, i, &entry); i++)
        methods.push_back(entry.name);
    std::vector<long> bytes(methods.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < methods.size(); i++)
        threads.emplace_back([&, i] { bytes[i] = play(methods[i]); });
    for (std::thread &thread : threads)
        thread.join();
    int failures = 0;
    for (size_t i = 0; i < methods.size(); i++) {
        std::printf("%-12s %ld bytes\n", methods[i].c_str(), bytes[i]);
        failures += bytes[i] < 0;
    }
    return failures || methods.size() < 20;
}
