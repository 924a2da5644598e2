// A program without MPI is one process.
#include "percuss/study/sweep/workers.h"

namespace percuss::study::ranks {

bool built_in() { return false; }
Place join() { return {}; }
std::string first_failure(const std::string& own) { return own; }
void leave() {}
void lead(const Work& work) { work_on_threads(work); }
void follow(const Work&) {}

}  // namespace percuss::study::ranks
