// percuss modes: natural frequencies, damping and shapes about the static equilibrium.
#include <array>

#include "percuss/cli/options.h"
#include "percuss/cli/program.h"
#include "percuss/cli/scene_options.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/dynamics/equilibrium.h"
#include "percuss/io/files.h"
#include "percuss/report/modes_report.h"

namespace percuss::cli {

namespace {

constexpr std::array kModesOptions = {
    kSetOption,
    Option{"no-equilibrium", "", "about the start as given, without looking for the equilibrium",
           Option::Kind::flag},
    Option{"page", "FILE", "where the HTML page goes; without it there is none"},
    Option{"shapes", "FILE", "the mode shapes as a CSV file: one line per mode and body"},
    kJsonOption,
    kForceOption,
};

Reply show_modes(const Arguments& arguments) {
  const Result<model::Compiled> compiled = read_compiled(arguments);
  if (!compiled) return refuse(compiled.errors());
  const model::Model& model = compiled->model;
  std::vector<std::string> outputs;
  for (const char* name : {"page", "shapes"})
    if (arguments.has(name)) outputs.push_back(arguments.text(name));
  if (const auto no = io::refusals(outputs, {arguments.text("positional")}, arguments.has("force")); !no.empty())
    return refuse(no);
  dynamics::Equilibrium rest;
  const bool at_equilibrium = !arguments.has("no-equilibrium");
  if (at_equilibrium)
    rest = dynamics::find_equilibrium(model, compiled->settings, dynamics::initial_state(model));
  else
    rest.state = dynamics::standing_still(model, compiled->settings, dynamics::initial_state(model));
  if (!rest.is_found()) return {1, "", "percuss: error: " + rest.failure + "\n"};
  const dynamics::NaturalModes modes = dynamics::natural_modes(model, rest.state);
  const report::ModesOf of{model, rest.state, modes, at_equilibrium};
  Reply reply;
  reply.out = arguments.has("json") ? report::modes_json(of) : report::modes_text(of, terminal_style());
  reply.err = warning_lines(model.warnings) + warning_lines(report::mode_remarks(of));
  const auto write = [&](const char* option, const std::string& content) {
    const std::string file = arguments.text(option);
    if (const auto failed = io::write_whole(file, content)) {
      reply.code = 1;
      reply.err += one_line(*failed) + "\n";
    } else {
      reply.err += "wrote " + file + "\n";
    }
  };
  if (arguments.has("shapes")) write("shapes", report::modes_csv(of));
  if (arguments.has("page")) write("page", report::page_html(report::modes_page(of)));
  return reply;
}

}  // namespace

constinit const Verb kModesVerb{"modes",
                                "natural frequencies, damping and mode shapes about the static equilibrium",
                                "  percuss new resting_block\n"
                                "  percuss modes resting_block.yaml --page modes.html",
                                kModesOptions,
                                "SCENE",
                                "a scene file",
                                show_modes};

}  // namespace percuss::cli
