// The Python module: each room binds its own kernels.
#include "bind/bind.hpp"
#include "core/isa.hpp"

namespace lindy {
// declared here, so that a new room compiles only itself again
void bind_calibration(nb::module_& module);
void bind_csr(nb::module_& module);
void bind_checksum(nb::module_& module);
void bind_labels(nb::module_& module);
void bind_bayes(nb::module_& module);
void bind_dual(nb::module_& module);
void bind_online(nb::module_& module);
void bind_dense(nb::module_& module);
void bind_fastmath(nb::module_& module);
void bind_weighting(nb::module_& module);
void bind_objective(nb::module_& module);
void bind_exact_sums(nb::module_& module);
void bind_local_pass(nb::module_& module);
void bind_term_places(nb::module_& module);
void bind_characters(nb::module_& module);
void bind_text(nb::module_& module);
void bind_text_scores(nb::module_& module);
void bind_catalog(nb::module_& module);
void bind_mapped(nb::module_& module);
void bind_coordinate(nb::module_& module);
void bind_minhash(nb::module_& module);
void bind_ranking(nb::module_& module);
void bind_joint(nb::module_& module);
void bind_images(nb::module_& module);
void bind_delimited(nb::module_& module);
void bind_svmlight(nb::module_& module);
void bind_kernels(nb::module_& module);
void bind_kernel_learners(nb::module_& module);
void bind_kernel_sequences(nb::module_& module);
void bind_dicts(nb::module_& module);
void bind_pairs(nb::module_& module);
void bind_patterns(nb::module_& module);
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
    lindy::bind_calibration(module);
    lindy::bind_csr(module);
    lindy::bind_checksum(module);
    lindy::bind_labels(module);
    lindy::bind_bayes(module);
    lindy::bind_dual(module);
    lindy::bind_online(module);
    lindy::bind_dense(module);
    lindy::bind_fastmath(module);
    lindy::bind_weighting(module);
    lindy::bind_objective(module);
    lindy::bind_exact_sums(module);
    lindy::bind_local_pass(module);
    lindy::bind_characters(module);
    lindy::bind_text(module);
    lindy::bind_term_places(module);
    lindy::bind_text_scores(module);
    lindy::bind_catalog(module);
    lindy::bind_mapped(module);
    lindy::bind_coordinate(module);
    lindy::bind_minhash(module);
    lindy::bind_ranking(module);
    lindy::bind_joint(module);
    lindy::bind_images(module);
    lindy::bind_delimited(module);
    lindy::bind_svmlight(module);
    lindy::bind_kernels(module);
    lindy::bind_kernel_learners(module);
    lindy::bind_kernel_sequences(module);
    lindy::bind_dicts(module);
    lindy::bind_pairs(module);
    lindy::bind_patterns(module);
}
