// The checksum of model files, and the coded arrays of small ones.
#include "bind/term_index.hpp"
#include "bind/text.hpp"
#include "core/crc32.hpp"
#include "text/coded_terms.hpp"

namespace lindy {

static Buffer<std::uint8_t> encode_bytes(In<std::uint8_t> bytes) {
    RangeEncoder coder;
    ByteModel model;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        coder.byte(model, i ? bytes.data()[i - 1] : std::uint8_t{0}, bytes.data()[i]);
    return coder.finish();
}

static Buffer<std::uint8_t> decode_bytes(In<std::uint8_t> code, std::size_t n) {
    if (n > most_per_byte * code.size()) throw BadCode("it stands for more than it has bytes for");
    RangeDecoder coder(code.data(), code.size());
    ByteModel model;
    Buffer<std::uint8_t> bytes(n);
    for (std::size_t i = 0; i < n; ++i) bytes[i] = coder.byte(model, i ? bytes[i - 1] : std::uint8_t{0});
    coder.finish();
    return bytes;
}

void bind_checksum(nb::module_& module) {
    module.def(
        "crc32",
        [](nb::handle data, std::uint32_t before) {
            const LentBytes bytes(data);
            return crc32(bytes.data(), bytes.size(), before);
        },
        "data"_a, "before"_a = 0,
        "The CRC-32 of zip, of what `before` is the CRC of followed by the bytes of an object.");
    module.def("crc32_folds", &crc::can_fold,
               "Whether crc32 has the instructions that make it faster than zlib's on this machine.");
    nb::exception<BadCode>(module, "CodeError", PyExc_ValueError);
    module.def("encode_bytes", unlocked(&encode_bytes), "bytes"_a,
               "Bytes in as few as an adaptive range coder makes of them, by the byte before each.");
    module.def("decode_bytes", unlocked(&decode_bytes), "code"_a, "n"_a,
               "The n bytes that encode_bytes was given; CodeError for what it does not make.");
    module.def("encode_terms", unlocked([](In<std::uint8_t> bytes, In<std::int64_t> offsets) {
                   return encode_terms(Terms(bytes, offsets));
               }),
               "bytes"_a, "offsets"_a,
               "A list of terms, coded: what each shares with the one before, and the rest.");
    module.def(
        "decode_terms", unlocked([](In<std::uint8_t> code, std::size_t n) {
            auto [text, offsets] = decode_terms(code.data(), code.size(), n);
            return std::tuple(std::move(text), std::move(offsets));
        }),
        "code"_a, "n"_a,
        "The bytes and offsets of n terms that encode_terms was given; CodeError for what it does not make.");
}

}  // namespace lindy
