# The program reads models and data from strangers: a memory fault that slipped through is to end it, not to run their
# code. Addresses are random, and the tables of functions read-only once it runs; tests/tools/hardening_test.py reads the
# built program and checks that this arrived.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)
target_link_options(mmo_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
