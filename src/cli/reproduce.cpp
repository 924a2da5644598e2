// percuss reproduce: a paper's figures and tables, ours against theirs.
#include <array>

#include "percuss/base/words.h"
#include "percuss/cli/interrupt.h"
#include "percuss/cli/pages.h"
#include "percuss/cli/program.h"
#include "percuss/cli/progress.h"
#include "percuss/cli/terminal.h"
#include "percuss/cli/verbs.h"
#include "percuss/report/reproduction_report.h"
#include "percuss/study/jobs.h"

namespace percuss::cli {

namespace {

constexpr std::array kReproduceOptions = {
    Option{"page", "FILE", "where the HTML page goes (default: PAPER.html, or papers.html for all, here)"},
    kFiguresOption,
    kNoPageOption,
    Option{"list", "", "the papers, and what is reproduced of each", Option::Kind::flag},
    kJsonOption,
    kForceOption,
};

Reply list() {
  Reply reply;
  for (const study::Paper& p : study::papers())
    reply.out += std::string(p.key) + ": " + std::string(p.shows) + "\n  " + std::string(p.citation) + "\n";
  reply.out = report::fitted(reply.out, terminal_style());
  return reply;
}

Reply reproduce_papers(const Arguments& arguments) {
  if (arguments.has("list")) return list();
  const std::string key = arguments.text("positional");
  std::vector<Diagnostic> errors;
  std::vector<std::string_view> keys;
  for (const study::Paper& p : study::papers()) keys.push_back(p.key);
  if (!key.empty() && !study::find_paper(key))
    errors.push_back(
        {{"percuss"},
         "no paper is called " + in_quotes(key) + did_you_mean(key, keys) + "; there are " + joined(keys)});
  const std::filesystem::path folder = papers_folder();
  if (folder.empty()) errors.push_back({{"percuss"}, "the folder of papers is not found; set PERCUSS_DATA"});
  const PageFiles files(arguments, (key.empty() ? "papers" : key) + ".html", {}, errors);
  if (!errors.empty()) return refuse(errors);
  std::vector<const study::Paper*> papers;
  for (const study::Paper& paper : study::papers())
    if (key.empty() || paper.key == key) papers.push_back(&paper);
  std::vector<std::optional<Result<study::Reproduction>>> results(papers.size());
  {
    const Interruptible guard;
    Progress progress(static_cast<double>(papers.size()), papers.size() == 1 ? "paper" : "papers");
    const auto show = [&progress](std::size_t done, std::size_t) {
      progress.show(static_cast<double>(done));
      return !was_interrupted();
    };
    const bool whole = study::do_jobs(papers.size(), 0, show, [&](std::size_t i, const auto&) {
      results[i].emplace(study::reproduce(*papers[i], folder));
    });
    if (!whole) return {130, "", "interrupted: nothing is written\n"};
  }
  std::vector<study::Reproduction> done;
  Reply reply;
  for (auto& one : results) {
    if (!*one) return refuse(one->errors());
    if (!(*one)->within()) reply.code = 1;
    done.push_back(std::move(**one));
  }
  if (arguments.has("json"))
    reply.out = report::reproductions_json(done);
  else
    for (const study::Reproduction& r : done)
      reply.out += (reply.out.empty() ? "" : "\n") + report::reproduction_text(r, terminal_style());
  for (const study::Reproduction& r : done)
    if (!r.within()) reply.err += "percuss: error: " + r.key + ": a number leaves its tolerance\n";
  files.write(report::reproduction_page(done, version_number()), reply);
  return reply;
}

std::vector<std::string> paper_keys() {
  std::vector<std::string> keys;
  for (const study::Paper& p : study::papers()) keys.emplace_back(p.key);
  return keys;
}

}  // namespace

constinit const Verb kReproduceVerb{"reproduce",
                                    "papers' figures and tables, ours against theirs",
                                    "  percuss reproduce --list\n"
                                    "  percuss reproduce alves-2015",
                                    kReproduceOptions,
                                    "[PAPER]",
                                    "its key; without one, all",
                                    reproduce_papers,
                                    paper_keys};

}  // namespace percuss::cli
