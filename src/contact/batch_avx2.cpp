// The batch loop compiled for AVX2; called only where the processor has it.
#include "percuss/contact/batch_kernel.h"

namespace percuss::contact {

void run_batch_avx2(const Law& law, const BatchRange& range) { run_batch<Pack<4>>(law, range); }

}  // namespace percuss::contact
