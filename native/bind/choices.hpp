// Options that are chosen by name, as Python has them.
#pragma once

#include <array>

#include "bind/bind.hpp"

namespace lindy {

template <class Choice, std::size_t N>
Choice choose(const std::string& name, const std::array<const char*, N>& names) {
    for (std::size_t i = 0; i < N; ++i)
        if (name == names[i]) return static_cast<Choice>(i);
    throw nb::value_error(("unknown choice: " + name).c_str());
}

constexpr std::array aggression_names = {"PA", "PA-I", "PA-II"};
constexpr std::array constraint_names = {"predicted", "max-loss", "k-best", "all"};

}  // namespace lindy
