// What the core does with memory, mapped files, threads and vector instructions, without Python: a line for
// each, which must be the same on every system and at every instruction-set level.
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/crc32.hpp"
#include "core/row_files.hpp"
#include "linear/primal/objective.hpp"

namespace {

using namespace lindy;

template <class Array>
std::uint32_t crc_of(const Array& array) {
    return crc32(reinterpret_cast<const unsigned char*>(array.data()), array.size() * sizeof(array.data()[0]),
                 0);
}

void check(bool holds, const char* what) {
    if (holds) return;
    std::printf("failed: %s\n", what);
    std::exit(1);
}

class Numbers {
  public:
    std::uint32_t below(std::uint32_t n) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>((state_ >> 33) % n);
    }
    double real() { return below(1u << 20) / double{1 << 19} - 1; }

  private:
    std::uint64_t state_ = 42;
};

// Sparse rows of 300 columns; row 0 is empty.
struct Matrix {
    Buffer<std::int64_t> indptr;
    Buffer<std::int32_t> indices;
    Buffer<double> values;
    CsrView<double> view() const {
        return {indptr.data(), indices.data(), values.data(), static_cast<std::int64_t>(indptr.size()) - 1,
                300};
    }
};

Matrix random_matrix(Numbers& numbers, int n_rows) {
    Matrix x;
    x.indptr.push(0);
    for (int i = 0; i < n_rows; ++i) {
        for (std::uint32_t j = numbers.below(20); i > 0 && j < 300; j += 1 + numbers.below(30)) {
            x.indices.push(static_cast<std::int32_t>(j));
            x.values.push(numbers.real());
        }
        x.indptr.push(static_cast<std::int64_t>(x.indices.size()));
    }
    return x;
}

// A block grows over the sizes at which memory is asked for in another way, and keeps what it holds.
void try_memory() {
    Buffer<std::uint64_t> block;
    for (std::uint64_t k = 0; k < 3000000; ++k) block.push(k * k);
    for (std::uint64_t k = 0; k < block.size(); ++k) check(block[k] == k * k, "a block lost what it held");
    std::printf("memory %08" PRIx32 "\n", crc_of(block));
}

template <class T>
char* in_file(std::FILE* file, const Buffer<T>& array, std::vector<std::unique_ptr<MappedFile>>& maps) {
    const std::size_t bytes = array.size() * sizeof(T);
    check(std::fwrite(array.data(), 1, bytes, file) == bytes && std::fflush(file) == 0,
          "a file was not written");
    check(system::file_size(fileno(file)) == static_cast<std::int64_t>(bytes),
          "the size of a file is another");
    maps.push_back(std::make_unique<MappedFile>(fileno(file), bytes));
    check(std::memcmp(maps.back()->data(), array.data(), bytes) == 0, "a map has not what was written");
    return maps.back()->data();
}

// Rows of a matrix in mapped files, read in any order while pages are given back; a map is written, too.
void try_files(const Matrix& x, const char* folder) {
    std::vector<std::unique_ptr<MappedFile>> maps;
    std::vector<char*> data;
    int number = 0;
    const auto mapped = [&](const auto& array) {
        const std::string path = std::string(folder) + "/" + std::to_string(number++);
        std::FILE* const file = std::fopen(path.c_str(), "w+b");
        check(file != nullptr, "a file was not made");
        char* const begin = in_file(file, array, maps);
        std::fclose(file);  // the map stays
        return begin;
    };
    CsrView<double> view = x.view();
    view.indices = reinterpret_cast<const std::int32_t*>(mapped(x.indices));
    auto* const values = reinterpret_cast<double*>(mapped(x.values));
    view.values = values;
    check(system::resident_bytes() > 0, "the system does not tell how much memory there is");
    PageKeeper keeper(1);
    Maps::get().keep_down();
    for (std::size_t k = 0; k < x.values.size(); ++k) values[k] *= 2;
    Maps::get().keep_down();
    RowFiles<double> rows(view);
    check(static_cast<bool>(rows), "rows in files are not known as such");
    std::vector<std::int32_t> order;
    for (std::int64_t i = view.n_rows - 1; i >= 0; i -= 3) order.push_back(static_cast<std::int32_t>(i));
    rows.read_runs(order.data(), static_cast<std::int64_t>(order.size()));
    std::printf("files %08" PRIx32 " %08" PRIx32, crc_of(rows.indices), crc_of(rows.values));
    rows.read(order.data(), static_cast<std::int64_t>(order.size()));
    std::printf(" %08" PRIx32 " %08" PRIx32 "\n", crc_of(rows.indices), crc_of(rows.values));
    bool refused = false;
    try {
        char byte;
        read_bytes(Maps::get().place(values, 8), std::int64_t{1} << 33, &byte, 1);
    } catch (const std::runtime_error&) {
        refused = true;
    }
    check(refused, "reading behind the end of a file is no error");
}

// Scores, losses and their gradients of several classes, on several threads.
void try_losses(const Matrix& x, Numbers& numbers) {
    constexpr std::int64_t K = 5;
    const CsrView<double> view = x.view();
    const auto n = static_cast<std::size_t>(view.n_rows);
    std::vector<double> W(300 * K), bias(K), scores(n * K), residuals(n * K), curves(n * K);
    for (double& w : W) w = numbers.real();
    for (double& b : bias) b = numbers.real();
    std::vector<std::int32_t> y(n);
    for (std::int32_t& own : y) own = static_cast<std::int32_t>(numbers.below(K));
    for (std::size_t i = 0; i < n; ++i)
        for (std::int64_t k = view.indptr[i]; k < view.indptr[i + 1]; ++k)
            for (std::size_t c = 0; c < K; ++c)
                scores[i * K + c] += view.values[k] * W[static_cast<std::size_t>(view.indices[k]) * K + c];
    for (const LossName loss : {LossName::log, LossName::log_ovr, LossName::squared_hinge}) {
        const LabelledRows rows{loss, y.data(), nullptr, 1.0 / static_cast<double>(n), view.n_rows, K};
        const double value = sum_losses(rows, scores.data(), bias.data(), residuals.data(), curves.data(), 3);
        std::printf("loss %.17g %08" PRIx32 " %08" PRIx32 "\n", value, crc_of(residuals), crc_of(curves));
    }
}

}  // namespace

int main(int count, char** arguments) {
    check(count == 2, "name a folder for files");
    std::fprintf(stderr, "instruction-set level %d\n", static_cast<int>(isa()));
    Numbers numbers;
    const Matrix x = random_matrix(numbers, 2000);
    std::printf("rows %08" PRIx32 " %08" PRIx32 "\n", crc_of(x.indices), crc_of(x.values));
    try_memory();
    try_files(x, arguments[1]);
    try_losses(x, numbers);
}
