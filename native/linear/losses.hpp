// The losses by name, and their formulas for one number at a time (linear/losses.inl, which says what each of
// them offers). Kernels that use them on vectors include the .inl once more inside their own namespace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/fastmath.hpp"

namespace lindy {

enum class LossName { log, log_ovr, hinge, squared_hinge, multiclass_hinge, perceptron };

inline LossName loss_named(const std::string& name) {
    constexpr std::array names = {"log",           "log_ovr",          "hinge",
                                  "squared_hinge", "multiclass_hinge", "perceptron"};
    for (std::size_t k = 0; k < names.size(); ++k)
        if (name == names[k]) return static_cast<LossName>(k);
    throw std::invalid_argument("unknown loss: " + name);
}

// Whether the outputs of several classes are compared with each other, rather than each with its own target.
inline bool is_joint(LossName loss) {
    return loss == LossName::log || loss == LossName::multiclass_hinge || loss == LossName::perceptron;
}

// Whether it has a derivative everywhere.
inline bool is_smooth(LossName loss) {
    return loss == LossName::log || loss == LossName::log_ovr || loss == LossName::squared_hinge;
}

namespace losses {
#include "linear/losses.inl"
}

}  // namespace lindy
