# `cpack -G DEB` (make deb): program, library, headers and find_package(mmo) as one Debian package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME mmo)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_CONTACT "MMO maintainers")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For programs linked with the library.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, libfmt-dev, nlohmann-json3-dev, libpugixml-dev, \
zlib1g-dev, libzstd-dev, libutf8proc-dev")
include(CPack)
