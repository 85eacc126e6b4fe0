// Options that Python chooses by name.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "bind/bind.hpp"
#include "text/weighting.hpp"

namespace lindy {

// The member of an enumeration whose names are given in its order; `what` it is, for the message.
template <class Choice>
Choice choose(const char* what, const std::string& name, std::initializer_list<const char*> names) {
    if (const auto* place = std::find(names.begin(), names.end(), name); place != names.end())
        return static_cast<Choice>(place - names.begin());
    std::string message = what + std::string(" must be ");
    for (const auto* n = names.begin(); n != names.end(); ++n)
        message += (n == names.begin() ? "" : n + 1 == names.end() ? " or " : ", ") + std::string(*n);
    throw nb::value_error((message + "; got " + name).c_str());
}

inline Norm norm_named(const std::string& name) {
    return choose<Norm>("norm", name, {"none", "l1", "l2", "max"});
}
inline constexpr std::initializer_list<const char*> aggressions = {"PA", "PA-I", "PA-II"};
inline constexpr std::initializer_list<const char*> constraint_sets = {"predicted", "max-loss", "k-best",
                                                                       "all"};

}  // namespace lindy
