// Online learners: one loop, loss × step rule × averaging. The perceptron, MIRA, Pegasos and stochastic
// gradient descent are choices of OnlineRule; linear/online/directions.inl turns scores into a direction,
// linear/online/pass.inl walks over the examples.
//
// Per visit of an example (x, y) with step weight ω, in this order (LxMLS, Alg. 2, 3, 5, 6):
//     t += ω;   o = xᵀW + b;   g = direction(o, y)            −g is a subgradient of the loss in o
//     W ← (1 − η_t·l2·ω)·W + η_t·ω·x gᵀ;   b ← b + η_t·ω·g    then the projection, if any
// An example of weight c is visited ⌈c⌉ times in a row with ω = c / ⌈c⌉, computed in the space of the scores:
// one pass over its nonzeros for all visits.
#pragma once

#include <cstdint>

#include "linear/losses.hpp"

namespace lindy {

enum class OnlineStep { gradient, adagrad, passive_aggressive };
enum class OnlineSchedule {
    constant,  // η0
    power,     // η0·t^−power
    pegasos,   // 1/(l2·t)
    automatic  // min(η0/√(1 + t/1000), 1/(l2·t))·(1 − (t − 1)/horizon)
};
enum class Aggression { pa, pa1, pa2 };  // ℓ/D,  min(C, ℓ/D),  ℓ/(D + 1/(2C))
enum class Constraints { predicted, max_loss, k_best, all };

struct OnlineRule {
    LossName loss = LossName::perceptron;
    OnlineStep step = OnlineStep::gradient;
    OnlineSchedule schedule = OnlineSchedule::constant;
    Aggression aggression = Aggression::pa1;
    Constraints constraints = Constraints::predicted;
    double eta0 = 1, power = 1, l2 = 0, l1 = 0, C = 1;
    double bias_eta0 = 1;  // of the automatic schedule, whose bias has steps of its own
    double horizon = 0;    // the last t of the automatic schedule; 0: not known
    double radius = 0;     // Pegasos' projection onto ‖w‖ ≤ radius; 0: none
    std::int64_t batch = 1;
    int k = 1;                  // of k_best: so many labels with the highest scores
    bool ranks_labels = false;  // rows with several labels: the last output is the virtual label between them
    bool bias = true, penalize_bias = false;
    bool average_before = false;  // the average counts the weights before each step instead of after it
    bool cumulative = true;       // L1: each weight's penalty total is kept, not only applied
};

// Examples beside their rows: class numbers, weights (null: 1), squared norms, ρ[predicted·classes + true]
// (null: 0/1).
struct OnlineData {
    const std::int32_t* y;
    const double* weight;
    const double* sq_norm;
    const double* cost;
    int n_classes;
    const std::int64_t* label_ends =
        nullptr;  // row i has y[label_ends[i]] … up to the next; null: one label per row

    int n_outputs() const { return n_classes == 2 && !label_ends ? 1 : n_classes; }
};

// The weights are scale_k · W[·, k], so that a decay costs O(classes). With averaging the sum of all weights
// that were met is  A_k · W − U,  so that it costs O(nonzeros) of the examples that moved something:
//     Σ_t s_t v_t = A_t v_t − Σ_t A_{t−1} δ_t   for  v_t = v_{t−1} + δ_t,  A_t = Σ s_t.
// Both hold in float32 as well as W itself does: a change too small for U is too small for W.
// Every δ_t is a multiple of a row of the data, so that instead of U itself the factors can be summed, row by
// row: then averaging costs O(classes) per step, and a pass over the data when the average is read.
// W, U and G have `slack` more entries than features × outputs, because lanes are read in fours.
template <class Weight>
struct OnlineState {
    static constexpr std::int64_t slack = 4;
    std::int64_t n_features;
    Weight* W;
    Weight* U;                          // the sum above, or null
    double* sums;                       // per row of the data, Σ A_{t−1}·step: U = Xᵀ·sums; null: U is kept
    Weight* G;                          // AdaGrad: Σ g²; L1: penalty received so far; null: neither
    double* last;                       // the penalty clock at which a feature was last settled, or null
    double *bias, *bias_sum, *bias_G;   // per output
    double *scale, *A, *sq_norm;        // per output
    double *time, *averaged, *penalty;  // t = Σω;  Σω since averaging began;  the penalty clock
};

// What was met on the way: examples used up, wrong predictions and changes of W, Σω·loss and Σω.
struct OnlineReport {
    std::int64_t consumed = 0, mistakes = 0, updates = 0;
    double loss = 0, weight = 0;
};

// Every change a perceptron makes, for the vote: class `up` gains and `down` loses step · x, at Σω = time.
struct OnlineLog {
    std::int64_t capacity = 0, size = 0;
    std::int64_t* row = nullptr;
    std::int32_t *up = nullptr, *down = nullptr;
    double *step = nullptr, *time = nullptr;
};

}  // namespace lindy
