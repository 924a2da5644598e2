// percuss collide: one collision at many points, phase by phase.
#include <array>

#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/collision_report.h"

namespace percuss::cli {

namespace {

constexpr std::array kCollideOptions = {
    kSetOption,
    Option{"sensitivity", "EPS",
           "outcomes when gaps are open by EPS times the peak indentation, in all combinations (0.01 is a good "
           "start)"},
    Option{"no-engine", "", "without the run of the compliant engine", Option::Kind::flag},
    kJsonOption,
};

Reply collide(const Arguments& arguments) {
  const Result<model::Compiled> compiled = read_compiled(arguments);
  std::vector<Diagnostic> errors;
  study::CollisionOptions options;
  options.compliant = !arguments.has("no-engine");
  if (arguments.has("sensitivity")) {
    options.sensitivity = arguments.number("sensitivity", dimension::number, errors);
    if (options.sensitivity && !(*options.sensitivity > 0))
      errors.push_back({{"--sensitivity"}, "must be above 0"});
  }
  if (!compiled) errors.insert(errors.end(), compiled.errors().begin(), compiled.errors().end());
  if (!errors.empty()) return refuse(errors);
  const model::Model* const model = &compiled->model;
  const Result<study::CollisionStudy> study = study::study_collision(*model, options);
  if (!study) return refuse(study.errors());
  Reply reply{0,
              arguments.has("json") ? report::collision_json(*model, *study)
                                    : report::collision_text(*model, *study, terminal_style()),
              warning_lines(model->warnings)};
  if (study->outcome.end == collision::Outcome::End::endless) reply.code = 1;
  return reply;
}

}  // namespace

constinit const Verb kCollideVerb{"collide",
                                  "a collision at many points at once, phase by phase",
                                  "  percuss new hanging_cradle\n"
                                  "  percuss collide hanging_cradle.yaml --sensitivity 0.01",
                                  kCollideOptions,
                                  "SCENE",
                                  "a scene file whose contacts touch and approach at the start",
                                  collide};

}  // namespace percuss::cli
