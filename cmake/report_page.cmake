# The report's page (report/report_page.h): built from web/ by Node.js, then a C++ file of its bytes in the build
# tree. Without Node.js, or where npm cannot fetch esbuild, the page is empty and asking for one says so.
option(MMO_WEB "Build the report's page, where Node.js is installed" ON)
find_program(MMO_NODE node)
find_program(MMO_NPM npm)
set(MMO_WEB_BUILD ${CMAKE_BINARY_DIR}/web)
if(MMO_WEB AND MMO_NODE AND MMO_NPM)
  set(page ${MMO_WEB_BUILD}/report_template.cpp)
  file(GLOB web CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/*.ts ${PROJECT_SOURCE_DIR}/web/page/*)
  set(built_by ${PROJECT_SOURCE_DIR}/web/build.sh ${PROJECT_SOURCE_DIR}/web/build.mjs)
  add_custom_command(OUTPUT ${page} COMMAND ${PROJECT_SOURCE_DIR}/web/build.sh ${MMO_WEB_BUILD}
    DEPENDS ${web} ${built_by} ${PROJECT_SOURCE_DIR}/web/package-lock.json COMMENT "Building the report's page" VERBATIM)
else()
  set(page ${PROJECT_SOURCE_DIR}/web/no_page.cpp)
endif()
target_sources(mmo_report PRIVATE ${page})
