# A program that needs nothing but what every Linux has (C and C++ run times). The archives come whole and first: nothing
# is left to ask of the shared libraries that the targets name, and the linker drops those.
foreach(library gomp pugixml z zstd utf8proc)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${library}.a OUTPUT_VARIABLE archive
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT IS_ABSOLUTE ${archive})
    message(FATAL_ERROR "MMO_PORTABLE needs lib${library}.a, which the compiler does not find")
  endif()
  target_link_libraries(mmo_cli PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${archive}>)
endforeach()

# fmt, which Debian has as a shared library only, from its headers: every function of them, used here or not.
set(fmt_source ${CMAKE_CURRENT_BINARY_DIR}/fmt_archive.cpp)
file(CONFIGURE OUTPUT ${fmt_source} CONTENT "#include <fmt/format.h>
template std::locale fmt::detail::locale_ref::get<std::locale>() const;  // else inlined in there and missed elsewhere
")
add_library(mmo_fmt_archive STATIC ${fmt_source})
target_compile_definitions(mmo_fmt_archive PRIVATE FMT_HEADER_ONLY)
target_compile_options(mmo_fmt_archive PRIVATE -fkeep-inline-functions -ffunction-sections)
target_link_libraries(mmo_cli PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,mmo_fmt_archive>)
target_link_options(mmo_cli PRIVATE LINKER:--as-needed LINKER:--gc-sections)
