// One small fork-join. Work is cut into chunks by the caller, never by the number of threads, and each chunk
// writes its own results, so the answer is the same whoever computes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lindy {

// Calls body(chunk) for chunk = 0 … n_chunks−1 on up to n_threads threads; rethrows the first exception.
template <class Body>
void parallel_chunks(std::int64_t n_chunks, int n_threads, Body body) {
    if (n_threads <= 1 || n_chunks <= 1) {
        for (std::int64_t chunk = 0; chunk < n_chunks; ++chunk) body(chunk);
        return;
    }
    std::atomic<std::int64_t> next{0};
    std::exception_ptr error;
    std::mutex error_lock;
    auto work = [&] {
        for (std::int64_t chunk; (chunk = next.fetch_add(1)) < n_chunks;) {
            try {
                body(chunk);
            } catch (...) {
                std::lock_guard guard(error_lock);
                if (!error) error = std::current_exception();
                next.store(n_chunks);
            }
        }
    };
    std::vector<std::jthread> workers;
    const auto extra = std::min<std::int64_t>(n_threads, n_chunks) - 1;
    workers.reserve(static_cast<std::size_t>(extra));
    for (std::int64_t t = 0; t < extra; ++t) workers.emplace_back(work);
    work();
    workers.clear();
    if (error) std::rethrow_exception(error);
}

}  // namespace lindy
