// The parts of the page of a report, embedded while building (cmake/embed_report.cmake).
#pragma once

#include <string_view>

namespace kinu::view {

extern const std::string_view kReportPage;    ///< page.html, with marks for the other parts
extern const std::string_view kReportStyle;   ///< page.css
extern const std::string_view kReportScript;  ///< page.js and graph.js

}  // namespace kinu::view
