#pragma once

// The report of `whisker clash`: a single self-contained HTML page.

#include <filesystem>

#include "clash/assembly.hpp"
#include "clash/findings.hpp"
#include "clash/report_scene.hpp"

namespace whisker::clash {

// Writes a page that lists the findings and draws them. It opens from disk, without a network connection, in any
// browser of recent years, and loads nothing else. Afterward `path` holds either the whole page or what was there
// before (see WholeFile). Throws an Error that names `path` if it cannot be written. Text of the assembly (names,
// groups, notes) is shown as text, whatever it contains. The same assembly and findings give the same bytes.
void write_report(const std::filesystem::path& path, const Assembly& assembly, const Findings& findings,
                  const PageBudget& budget = {});

}  // namespace whisker::clash
