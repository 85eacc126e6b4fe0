// What the bindings of kernels and of their learners share.
#pragma once

#include <nanobind/stl/shared_ptr.h>

#include "bind/rows.hpp"
#include "kernels/source.hpp"

namespace lindy {

using Kernel = std::shared_ptr<KernelSource>;

// A kernel that keeps the arrays alive over which it was made.
template <class... Arrays>
Kernel held(std::unique_ptr<KernelSource> kernel, Arrays... arrays) {
    auto owned = std::make_shared<std::tuple<std::unique_ptr<KernelSource>, Arrays...>>(std::move(kernel),
                                                                                        std::move(arrays)...);
    return Kernel(owned, std::get<0>(*owned).get());
}

}  // namespace lindy
