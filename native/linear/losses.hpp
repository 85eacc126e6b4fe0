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

// What solvers ask of a loss: whether the outputs of several classes are compared with each other, rather
// than each with its own target, and whether it has a derivative everywhere.
struct LossKind {
    const char* name;
    bool joint, smooth;
};

// In the order of LossName.
inline constexpr std::array<LossKind, 6> loss_kinds = {{
    {"log", true, true},
    {"log_ovr", false, true},
    {"hinge", false, false},
    {"squared_hinge", false, true},
    {"multiclass_hinge", true, false},
    {"perceptron", true, false},
}};

inline LossName loss_named(const std::string& name) {
    for (std::size_t k = 0; k < loss_kinds.size(); ++k)
        if (name == loss_kinds[k].name) return static_cast<LossName>(k);
    throw std::invalid_argument("unknown loss: " + name);
}

constexpr bool is_joint(LossName loss) {
    return loss_kinds[static_cast<std::size_t>(loss)].joint;
}
constexpr bool is_smooth(LossName loss) {
    return loss_kinds[static_cast<std::size_t>(loss)].smooth;
}

namespace losses {
#include "linear/losses.inl"
}

}  // namespace lindy
