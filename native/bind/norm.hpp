// Norms by their names.
#pragma once

#include "bind/bind.hpp"
#include "text/weighting.hpp"

namespace lindy {

inline Norm norm_named(const std::string& name) {
    if (name == "none") return Norm::none;
    if (name == "l1") return Norm::l1;
    if (name == "l2") return Norm::l2;
    if (name == "max") return Norm::max;
    throw nb::value_error("norm must be none, l1, l2 or max");
}

}  // namespace lindy
