# Installs MMO into a fresh folder, builds tests/consumer against it as an outside project would, and runs it.
#   cmake -DBUILD=<build folder> -DSOURCE=<tests/consumer> -DWORK=<scratch> -DFLAGS=<sanitizer flags> -P run.cmake
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_EXE_LINKER_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
file(WRITE ${WORK}/data.svm "0,2 1:0.5 3:1\n1 2:1\n")
run(${WORK}/build/consumer ${WORK}/data.svm)
if(NOT output STREQUAL "1.000\n")
  message(FATAL_ERROR "consumer printed '${output}', expected 1.000")
endif()
run(${WORK}/prefix/bin/mmo --version)
