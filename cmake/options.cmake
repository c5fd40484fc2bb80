# The compile options that every target of the project shares, as one interface target that is never installed.
add_library(whisker_options INTERFACE)

target_compile_options(whisker_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference
  # Exact arithmetic requires that every operation is rounded separately: no implicit fused multiply-add.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports null pointers in inlined standard and Eigen code at -O2. Clang performs the same check.
  target_compile_options(whisker_options INTERFACE -Wno-null-dereference)
endif()

if(WHISKER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC treats a source file in a unity build as a header, in which this would be a mistake.
  target_compile_options(whisker_options INTERFACE -Wno-subobject-linkage)
elseif(WHISKER_UNITY)
  # In a unity build, a local name may equal that of a constant in another file.
  target_compile_options(whisker_options INTERFACE -Wno-shadow)
endif()

if(WHISKER_WERROR)
  target_compile_options(whisker_options INTERFACE -Werror)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(whisker_options INTERFACE -march=x86-64-v2)
endif()

if(WHISKER_SANITIZE)
  # Reports need functions and lines, which -g1 keeps. Tracking every variable through the SIMD kernels takes minutes.
  target_compile_options(whisker_options INTERFACE -fsanitize=${WHISKER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -g1)
  target_compile_options(whisker_options INTERFACE ${WHISKER_SANITIZE_OPTIONS})
  target_link_options(whisker_options INTERFACE -fsanitize=${WHISKER_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers, GCC 12 falsely reports uninitialized values in std::regex and CGAL.
    target_compile_options(whisker_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
