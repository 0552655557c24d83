# The shells' completion files, written by the program when it is linked, where the shells look for them.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(folder ${CMAKE_CURRENT_BINARY_DIR}/completion)
file(MAKE_DIRECTORY ${folder})

# install_completion(<shell> <file> <folder below share>)
function(install_completion shell name place)
  add_custom_command(TARGET mmo_cli POST_BUILD VERBATIM COMMAND mmo_cli completion ${shell} > ${folder}/${name})
  install(FILES ${folder}/${name} DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/${place})
endfunction()

install_completion(bash mmo bash-completion/completions)
install_completion(zsh _mmo zsh/vendor-completions)
install_completion(fish mmo.fish fish/vendor_completions.d)
