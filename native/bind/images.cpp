// Shapes in pictures.
#include "bind/bind.hpp"
#include "images/shapes.hpp"

namespace lindy {

static void image_shapes(
    const nb::ndarray<const std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>& images,
    Out2<std::int32_t> shapes, int threads) {
    require(shapes.shape(0) == images.shape(0) && shapes.shape(1) == 4,
            "shapes must have a row of 4 per image");
    require(
        images.shape(1) >= 1 && images.shape(2) >= 1 && images.shape(1) <= 65535 && images.shape(2) <= 65535,
        "images must have between 1 and 65535 rows and columns");
    measure_images(images.data(), height(images), static_cast<std::int32_t>(images.shape(1)),
                   static_cast<std::int32_t>(images.shape(2)), shapes.data(), threads);
}

void bind_images(nb::module_& module) {
    module.def("image_shapes", unlocked(&image_shapes), "images"_a, "shapes"_a, "threads"_a,
               "Components, loops, height and width of the ink (nonzero) of each image.");
}

}  // namespace lindy
