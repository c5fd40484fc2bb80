#pragma once

// The report of `whisker clash`: one page of HTML with everything in it.

#include <filesystem>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"
#include "clash/report_scene.hpp"

namespace whisker::clash {

struct ReportOptions {
  PageBudget budget;
};

// Writes a page that lists the findings and draws them. It opens from disk, without a network, in any browser of the
// last years, and asks for nothing else. Under `path` there is the whole page or what was there before (see WholeFile);
// an Error that names `path` if it cannot be written. Text of the assembly (names, groups, notes) is shown as text,
// whatever is in it. The same assembly and findings give the same bytes.
void write_report(const std::filesystem::path& path, const Assembly& assembly, const Findings& findings,
                  const ReportOptions& options = {});

}  // namespace whisker::clash
