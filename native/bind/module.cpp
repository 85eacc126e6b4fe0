// The Python module: each room binds its own kernels.
#include "bind/bind.hpp"
#include "core/isa.hpp"

namespace lindy {
// declared here, so that a new room compiles only itself again
using Bind = void(nb::module_& module);
Bind bind_calibration, bind_csr, bind_checksum, bind_labels, bind_bayes, bind_dual, bind_online, bind_dense,
    bind_fastmath, bind_weighting, bind_objective, bind_exact_sums, bind_local_pass, bind_characters,
    bind_text, bind_term_places, bind_text_scores, bind_catalog, bind_mapped, bind_coordinate, bind_minhash,
    bind_ranking, bind_joint, bind_images, bind_delimited, bind_svmlight, bind_kernels, bind_kernel_learners,
    bind_kernel_sequences, bind_dicts, bind_pairs, bind_patterns, bind_fasttext, bind_label_tree;
}  // namespace lindy

NB_MODULE(_native, module) {
    nanobind::set_leak_warnings(false);  // what lives until the interpreter ends is not a leak
    module.doc() = "The compiled core of lindy: kernels over bytes and non-zeros.";
    module.def(
        "isa",
        [] {
            const char* names[] = {"baseline", "avx2", "avx512"};
            return names[static_cast<int>(lindy::isa())];
        },
        "The instruction-set level in use: baseline, avx2 or avx512 (the environment variable LINDY_ISA caps "
        "it).");
    using namespace lindy;
    for (Bind* bind :
         {bind_calibration, bind_csr,         bind_checksum,        bind_labels,           bind_bayes,
          bind_dual,        bind_online,      bind_dense,           bind_fastmath,         bind_weighting,
          bind_objective,   bind_exact_sums,  bind_local_pass,      bind_characters,       bind_text,
          bind_term_places, bind_text_scores, bind_catalog,         bind_mapped,           bind_coordinate,
          bind_minhash,     bind_ranking,     bind_joint,           bind_images,           bind_delimited,
          bind_svmlight,    bind_kernels,     bind_kernel_learners, bind_kernel_sequences, bind_dicts,
          bind_pairs,       bind_patterns,    bind_fasttext,        bind_label_tree})
        bind(module);
}
