// One place for all verbs that write pages.
#include "percuss/cli/pages.h"

#include "percuss/io/files.h"

namespace percuss::cli {

namespace fs = std::filesystem;

namespace {

std::string svg_name(std::string name) {
  for (char& c : name)
    if (c == ' ' || c == '/') c = '_';
  return name + ".svg";
}

}  // namespace

PageFiles::PageFiles(const Arguments& arguments, const std::string& default_name,
                     const std::vector<std::string>& inputs, std::vector<Diagnostic>& errors,
                     std::vector<std::string> others)
    : page_(file_of(arguments, "page", default_name)),
      folder_(arguments.text("figures")),
      wants_page_(!arguments.has("no-page")),
      wants_figures_(arguments.has("figures")),
      force_(arguments.has("force")) {
  if (arguments.has("page") && !wants_page_) errors.push_back({{"--page"}, "and --no-page exclude each other"});
  if (wants_page_) others.push_back(page_.string());
  for (const Diagnostic& d : io::refusals(others, inputs, force_)) errors.push_back(d);
  if (wants_figures_)
    if (const auto no = io::make_folder(folder_)) errors.push_back(*no);
}

void PageFiles::write(const report::Page& page, Reply& reply) const {
  const auto note = [&reply](const fs::path& path, const std::optional<Diagnostic>& failed) {
    if (failed) reply.code = 1;
    reply.err += failed ? one_line(*failed) + "\n" : "wrote " + path.string() + "\n";
  };
  if (wants_page_) note(page_, io::write_whole(page_, report::page_html(page)));
  if (!wants_figures_ || reply.code != 0) return;
  std::vector<std::pair<fs::path, std::string>> figures;
  std::vector<std::string> files;
  const auto add = [&](const std::string& id, std::string svg) {
    figures.emplace_back(folder_ / svg_name(id), std::move(svg));
    files.push_back(figures.back().first.string());
  };
  for (const report::PageSection& section : page.sections)
    for (const report::Block& block : section.blocks)
      if (const auto* plot = std::get_if<report::PlotBlock>(&block))
        add(plot->id, report::to_svg(report::figure_of(*plot, page.arrays)));
      else if (const auto* map = std::get_if<report::MapBlock>(&block))
        add(map->id, report::to_svg(report::colour_map_of(*map, page.arrays)));
  if (const auto no = io::refusals(files, {}, force_); !no.empty()) {
    reply.code = refuse(no).code;
    for (const Diagnostic& d : no) reply.err += one_line(d) + "\n";
    return;
  }
  for (const auto& [path, svg] : figures) {
    note(path, io::write_whole(path, svg));
    if (reply.code != 0) return;  // what one file meets, the others meet too
  }
}

}  // namespace percuss::cli
