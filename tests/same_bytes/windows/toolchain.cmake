# clang with the headers and libraries of Debian's mingw-w64, in its variant with POSIX threads, which clang does not find itself.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-windows-gnu)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
file(GLOB LINDY_MINGW /usr/lib/gcc/x86_64-w64-mingw32/*-posix)
set(LINDY_SYSTEM /usr/x86_64-w64-mingw32)
string(JOIN " " CMAKE_CXX_FLAGS_INIT --start-no-unused-arguments -nostdlibinc -isystem ${LINDY_MINGW}/include/c++
       -isystem ${LINDY_MINGW}/include/c++/x86_64-w64-mingw32 -isystem ${LINDY_SYSTEM}/include --end-no-unused-arguments)
# lld, because Debian's linker for Windows and clang do not agree about exceptions
string(JOIN " " LINDY_LINK -static -fuse-ld=lld -B${LINDY_SYSTEM}/lib -B${LINDY_MINGW} -L${LINDY_SYSTEM}/lib -L${LINDY_MINGW}
       -L${CMAKE_CURRENT_LIST_DIR}/../../../build/windows)
set(CMAKE_EXE_LINKER_FLAGS_INIT ${LINDY_LINK})
set(CMAKE_SHARED_LINKER_FLAGS_INIT ${LINDY_LINK})
set(CMAKE_MODULE_LINKER_FLAGS_INIT ${LINDY_LINK})
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT -lpthread)
