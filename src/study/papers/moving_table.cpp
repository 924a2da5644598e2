// Runs of the moving table.
#include "percuss/study/papers/moving_table.h"

#include <fmt/format.h>

namespace percuss::study {

std::optional<Diagnostic> show_moving_table(PaperWork& work, const std::string& first, const std::string& second) {
  const std::filesystem::path scene = work.folder / "moving_table.yaml";
  const Result<recording::Recording> elastic =
      simulate(scene, {"bounce.restitution=1"});  // every law is Hertz's then
  if (!elastic) return elastic.errors().front();
  PaperCurve table = body_over_time("table", *elastic, "table", "y");
  table.muted = true;
  work.figures.push_back({"fig" + first,
                          "Fig. " + first + ": Hertz's law",
                          "time",
                          "s",
                          "height",
                          "m",
                          {table, body_over_time("ball", *elastic, "ball", "y")}});
  work.ours["elastic.first"] = elastic->impacts.empty() ? 0 : elastic->impacts.front().delivered.value_or(0);
  char panel = 'a';
  for (const double c : {0.9, 0.6, 0.3}) {
    PaperFigure figure{fmt::format("fig{}{}", second, panel),
                       fmt::format("Fig. {}{}: c = {}", second, panel, c),
                       "time",
                       "s",
                       "height",
                       "m",
                       {table}};
    for (const NamedLaw& law : kThreeLaws) {
      const Result<recording::Recording> run =
          simulate(scene, {"bounce.law=" + std::string(law.key), fmt::format("bounce.restitution={}", c)});
      if (!run) return run.errors().front();
      figure.curves.push_back(body_over_time(law.name, *run, "ball", "y"));
      work.ours[fmt::format("delivered.{}.{}", law.key, c)] = run->impacts.front().delivered.value_or(0);
      work.ours[fmt::format("rest.{}.{}", law.key, c)] = rest_begins_s(*run);
      work.ours[fmt::format("impacts.{}.{}", law.key, c)] = static_cast<double>(run->impact_count);
    }
    work.figures.push_back(std::move(figure));
    ++panel;
    const auto number = [&](const char* what, const char* law) {
      return work.ours[fmt::format("{}.{}.{}", what, law, c)];
    };
    work.ours[fmt::format("fewest.flores.{}", c)] =
        number("impacts", "flores") <= number("impacts", "hunt-crossley") &&
        number("impacts", "flores") <= number("impacts", "lankarani-nikravesh");
    work.ours[fmt::format("first.flores.{}", c)] =
        number("rest", "flores") <= number("rest", "hunt-crossley") &&
        number("rest", "flores") <= number("rest", "lankarani-nikravesh");
  }
  return std::nullopt;
}

}  // namespace percuss::study
