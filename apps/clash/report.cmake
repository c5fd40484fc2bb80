# The parts of the report's page, built into the library `clash`.
include(${PROJECT_SOURCE_DIR}/cmake/embed.cmake)

# three.js draws the page. The classic script, not the module: a page that is opened from disk can import none.
find_file(WHISKER_THREE_SCRIPT three.min.js PATHS /usr/share/javascript/three NO_DEFAULT_PATH)
if(NOT WHISKER_THREE_SCRIPT)
  message(STATUS "three.js not found: reports will list their findings and draw nothing; install libjs-three")
endif()

embed(clash whisker::clash embedded_report_html ${CMAKE_CURRENT_LIST_DIR}/report.html)
embed(clash whisker::clash embedded_report_css ${CMAKE_CURRENT_LIST_DIR}/report.css)
embed(clash whisker::clash embedded_report_view ${CMAKE_CURRENT_LIST_DIR}/report_view.js)
embed(clash whisker::clash embedded_report_page ${CMAKE_CURRENT_LIST_DIR}/report_page.js)
if(WHISKER_THREE_SCRIPT)
  embed(clash whisker::clash embedded_report_three ${WHISKER_THREE_SCRIPT})
else()
  embed(clash whisker::clash embedded_report_three "")
endif()
