// ./dev bench: ratios from one run; a bar that is missed is marked and makes the exit code 1.
#include <cstdio>
#include <cstring>

#include "benches.h"
#include "percuss/contact/law.h"

int main(int argc, char** argv) {
  constexpr const char* kParts[] = {"--quick",    "--scenes", "--collisions", "--bodies",
                                    "--convexes", "--steps",  "--studies"};
  bool is_known = argc < 2;
  for (const char* part : kParts) is_known = is_known || std::strcmp(argv[1], part) == 0;
  if (!is_known) {
    std::printf(
        "./dev bench [PART]\n\n  without a part: everything, about ten minutes\n"
        "  --quick        everything, with shorter batches of forces\n"
        "  --scenes       mechanisms, contacts, many bodies, long chains, beside Simbody where it is there\n"
        "  --bodies       the cost per body as their number grows\n"
        "  --convexes     the cost of a step as the boxes of a stack and the vertices of polyhedra grow\n"
        "  --steps        singular positions of long linkages, and blocks that stick\n"
        "  --collisions   collisions at many points\n"
        "  --studies      sweeps\n");
    return std::strcmp(argv[1], "--help") == 0 ? 0 : 2;
  }
  const bool quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  std::printf("batches run on %s\n\n", percuss::contact::batch_instruction_set());
  const bool scenes_only = argc > 1 && std::strcmp(argv[1], "--scenes") == 0;
  if (argc > 1 && std::strcmp(argv[1], "--collisions") == 0) return percuss::bench::collisions() ? 0 : 1;
  if (argc > 1 && std::strcmp(argv[1], "--bodies") == 0) return percuss::bench::bodies() ? 0 : 1;
  if (argc > 1 && std::strcmp(argv[1], "--convexes") == 0) return percuss::bench::convexes() ? 0 : 1;
  if (argc > 1 && std::strcmp(argv[1], "--steps") == 0) return percuss::bench::step_control() ? 0 : 1;
  if (argc > 1 && std::strcmp(argv[1], "--studies") == 0) return percuss::bench::studies() ? 0 : 1;
  bool all_met = true;
  if (!scenes_only) {
    all_met = percuss::bench::batch_forces(quick);
    all_met = percuss::bench::impacts() && all_met;
  }
  all_met = percuss::bench::scenes() && all_met;
  all_met = percuss::bench::convexes() && all_met;
  all_met = percuss::bench::step_control() && all_met;
  all_met = percuss::bench::collisions() && all_met;
  all_met = percuss::bench::studies() && all_met;
  std::printf("\n%s\n", all_met ? "every bar is met" : "a bar is missed");
  return all_met ? 0 : 1;
}
