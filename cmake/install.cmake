# Program, headers, libraries and the package files that find_package(percuss) reads.
include(CMakePackageConfigHelpers)

install(TARGETS percuss RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS percuss_contact percuss_impact percuss_percussion percuss_engine EXPORT percussTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(room base expression ode contact impact percussion geometry joint scene recording model dynamics)
  install(DIRECTORY src/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/percuss FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)
install(DIRECTORY scenes studies papers DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/percuss)
install(EXPORT percussTargets NAMESPACE percuss:: DESTINATION ${package_dir})
configure_package_config_file(cmake/percussConfig.cmake.in ${PROJECT_BINARY_DIR}/percussConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/percussConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/percussConfig.cmake ${PROJECT_BINARY_DIR}/percussConfigVersion.cmake
        DESTINATION ${package_dir})
