// One small fork-join. Work is cut into chunks by the caller, never by the number of threads, and each chunk
// writes its own results, so the answer does not depend on the thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lindy {

// Calls body(take) on up to n_threads threads; each calls take(chunk) for its next chunk of 0 … n_chunks−1
// until that is false. Rethrows the first exception.
template <class Body>
void parallel_workers(std::int64_t n_chunks, int n_threads, Body body) {
    std::atomic<std::int64_t> next{0};
    const auto take = [&](std::int64_t& chunk) { return (chunk = next.fetch_add(1)) < n_chunks; };
    if (n_threads <= 1 || n_chunks <= 1) {
        body(take);
        return;
    }
    std::exception_ptr error;
    std::mutex error_lock;
    auto work = [&] {
        try {
            body(take);
        } catch (...) {
            std::lock_guard guard(error_lock);
            if (!error) error = std::current_exception();
            next.store(n_chunks);
        }
    };
    std::vector<std::jthread> workers;
    const auto extra = std::min<std::int64_t>(n_threads, n_chunks) - 1;
    workers.reserve(static_cast<std::size_t>(extra));
    try {
        for (std::int64_t t = 0; t < extra; ++t) workers.emplace_back(work);
    } catch (const std::system_error&) {
        // the system has no more threads: those that there are do the work, with the same result
    }
    work();
    workers.clear();
    if (error) std::rethrow_exception(error);
}

// Calls body(chunk) for chunk = 0 … n_chunks−1 on up to n_threads threads; rethrows the first exception.
template <class Body>
void parallel_chunks(std::int64_t n_chunks, int n_threads, Body body) {
    parallel_workers(n_chunks, n_threads, [&](auto take) {
        for (std::int64_t chunk; take(chunk);) body(chunk);
    });
}

// Calls body(first, last, chunk) over fixed chunks of 0 … n−1.
template <class Body>
void range_chunks(std::int64_t n, std::int64_t size, int n_threads, Body body) {
    parallel_chunks((n + size - 1) / size, n_threads,
                    [&](std::int64_t chunk) { body(chunk * size, std::min(n, (chunk + 1) * size), chunk); });
}

// As range_chunks, for a body that returns a number: the sum of them, added in the order of the chunks.
template <class Body>
double sum_chunks(std::int64_t n, std::int64_t size, int n_threads, Body body) {
    std::vector<double> part(static_cast<std::size_t>((n + size - 1) / size));
    range_chunks(n, size, n_threads, [&](std::int64_t first, std::int64_t last, std::int64_t chunk) {
        part[static_cast<std::size_t>(chunk)] = body(first, last);
    });
    double total = 0;
    for (double value : part) total += value;
    return total;
}

// Calls body(i) for i = 0 … n−1, in stretches long enough to be worth a thread.
template <class Body>
void parallel_elements(std::size_t n, int n_threads, Body body) {
    constexpr std::size_t stretch = 1 << 14;
    parallel_chunks(static_cast<std::int64_t>((n + stretch - 1) / stretch), n_threads,
                    [&](std::int64_t chunk) {
                        const std::size_t begin = static_cast<std::size_t>(chunk) * stretch;
                        for (std::size_t i = begin, end = std::min(n, begin + stretch); i < end; ++i) body(i);
                    });
}

// Pieces of work that are done in any order, of which some part is done in their own.
class Turns {
  public:
    explicit Turns(std::size_t n_pieces) : n_pieces_(n_pieces) {}

    // Takes the next piece that no thread has; false if there is none.
    bool take(std::size_t& p) { return (p = taken_.fetch_add(1)) < n_pieces_; }
    // Waits until it is the turn of piece p; false if the work has been given up.
    bool wait(std::size_t p) {
        for (std::size_t now; (now = next_.load()) != p; next_.wait(now))
            if (now == given_up) return false;
        return true;
    }
    void done(std::size_t p) { set(p + 1); }
    void give_up() { set(given_up); }

  private:
    static constexpr std::size_t given_up = ~std::size_t{0};
    void set(std::size_t value) {
        next_.store(value);
        next_.notify_all();
    }
    const std::size_t n_pieces_;
    std::atomic<std::size_t> taken_{0}, next_{0};
};

// Calls body(turns) on up to n_threads threads; each takes pieces until there are none.
template <class Body>
void in_turns(std::size_t n_pieces, int n_threads, Body body) {
    Turns turns(n_pieces);
    const std::size_t workers = std::min(n_pieces, static_cast<std::size_t>(std::max(n_threads, 1)));
    parallel_chunks(static_cast<std::int64_t>(workers), n_threads, [&](std::int64_t) {
        try {
            body(turns);
        } catch (...) {
            turns.give_up();
            throw;
        }
    });
}

}  // namespace lindy
