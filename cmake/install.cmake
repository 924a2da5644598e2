# Program, headers, libraries and the package files that find_package(percuss) reads: of the parts that are built.
include(CMakePackageConfigHelpers)
include(cmake/headers.cmake)

foreach(part IN LISTS percuss_parts)
  if(part STREQUAL program)
    install(TARGETS percuss RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)
    install(DIRECTORY scenes studies papers DESTINATION ${CMAKE_INSTALL_DATADIR}/percuss)
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
