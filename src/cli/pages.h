// Pages and their figures as files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "percuss/cli/options.h"
#include "percuss/report/page.h"

namespace percuss::cli {

/// Where a page and its figures go, by the options `page`, `figures`, `no-page` and `force`.
class PageFiles {
 public:
  /// `default_name` is the file's name if --page is not given. What cannot be written, `others` included, goes to
  /// `errors`.
  PageFiles(const Arguments& arguments, const std::string& default_name, const std::vector<std::string>& inputs,
            std::vector<Diagnostic>& errors, std::vector<std::string> others = {});
  bool wants_anything() const { return wants_page_ || wants_figures_; }
  /// Writes; what was written and what could not be goes to the reply.
  void write(const report::Page& page, Reply& reply) const;

 private:
  std::filesystem::path page_, folder_;
  bool wants_page_, wants_figures_, force_;
};

}  // namespace percuss::cli
