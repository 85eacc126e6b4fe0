// The checksum of model files.
#include "bind/text.hpp"
#include "core/crc32.hpp"

namespace lindy {

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
}

}  // namespace lindy
