# Program, headers, libraries and the package files that find_package(percuss) reads: of the parts that are built.
include(CMakePackageConfigHelpers)
include(cmake/headers.cmake)

foreach(part IN LISTS percuss_parts)
  if(part STREQUAL program)
    install(TARGETS percuss RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)
    install(DIRECTORY scenes studies papers DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)
    # manual pages and completions, from the program itself
    install(CODE "
      set(program \"$<TARGET_FILE:percuss>\")
      set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
      set(bash \"\${share}/bash-completion/completions\")
      set(zsh \"\${share}/zsh/site-functions\")
      set(fish \"\${share}/fish/vendor_completions.d\")
      file(MAKE_DIRECTORY \"\${bash}\" \"\${zsh}\" \"\${fish}\")
      execute_process(COMMAND \"\${program}\" completion bash OUTPUT_FILE \"\${bash}/percuss\" COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND \"\${program}\" completion zsh OUTPUT_FILE \"\${zsh}/_percuss\" COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND \"\${program}\" completion fish OUTPUT_FILE \"\${fish}/percuss.fish\" COMMAND_ERROR_IS_FATAL ANY)
      execute_process(COMMAND \"\${program}\" completion man --folder \"\${share}/man/man1\" OUTPUT_QUIET ERROR_QUIET
                      COMMAND_ERROR_IS_FATAL ANY)
    ")
  else()
    install(TARGETS percuss_${part} EXPORT percussTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    foreach(header IN LISTS percuss_${part}_headers)
      cmake_path(GET header PARENT_PATH room)
      install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/percuss/${room})
    endforeach()
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)
install(EXPORT percussTargets NAMESPACE percuss:: DESTINATION ${package_dir})
configure_package_config_file(cmake/percussConfig.cmake.in ${PROJECT_BINARY_DIR}/percussConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/percussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/percussConfig.cmake ${PROJECT_BINARY_DIR}/percussConfigVersion.cmake
        DESTINATION ${package_dir})
