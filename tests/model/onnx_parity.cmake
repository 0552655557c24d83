# Exported models of every kind, run in onnxruntime; skipped where Python lacks it.
add_executable(onnx_cases ${CMAKE_CURRENT_SOURCE_DIR}/model/onnx_cases.cpp)
target_include_directories(onnx_cases PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(onnx_cases PRIVATE mmo_flags OpenMP::OpenMP_CXX Eigen3::Eigen pugixml::pugixml ZLIB::ZLIB
  PkgConfig::ZSTD PkgConfig::UTF8PROC fmt::fmt nlohmann_json::nlohmann_json)
mmo_closure(model below)
string(REPLACE "/" "_" below "${below}")
foreach(part ${below})
  if(TARGET mmo_${part})
    target_link_libraries(onnx_cases PRIVATE mmo_${part})
  endif()
endforeach()
add_test(NAME onnx_parity
  COMMAND ${MMO_TEST_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/python/onnx_parity.py $<TARGET_FILE:onnx_cases>)
set_tests_properties(onnx_parity PROPERTIES SKIP_RETURN_CODE 77 LABELS model)
