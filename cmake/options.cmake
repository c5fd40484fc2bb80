# The compile options that every target of the project shares, as one interface target that is never installed.
add_library(whisker_options INTERFACE)

target_compile_options(whisker_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor
  -Woverloaded-virtual -Wnull-dereference
  # Exact arithmetic needs every operation rounded on its own: no fused multiply-add behind our back.
  -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports null pointers inside inlined standard and Eigen code at -O2; Clang checks the same for us.
  target_compile_options(whisker_options INTERFACE -Wno-null-dereference)
endif()

if(WHISKER_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC takes a source file that is compiled with others for a header, where this would be a mistake.
  target_compile_options(whisker_options INTERFACE -Wno-subobject-linkage)
elseif(WHISKER_UNITY)
  # A local name may be that of a constant in another file that is compiled with this one.
  target_compile_options(whisker_options INTERFACE -Wno-shadow)
endif()

if(WHISKER_WERROR)
  target_compile_options(whisker_options INTERFACE -Werror)
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(whisker_options INTERFACE -march=x86-64-v2)
endif()

if(WHISKER_SANITIZE)
  # A report names functions and lines, which -g1 keeps; following every variable through the SIMD kernels costs minutes.
  target_compile_options(whisker_options INTERFACE -fsanitize=${WHISKER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all -g1)
  target_compile_options(whisker_options INTERFACE ${WHISKER_SANITIZE_OPTIONS})
  target_link_options(whisker_options INTERFACE -fsanitize=${WHISKER_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With sanitizers GCC 12 sees uninitialized values in std::regex and CGAL where there are none.
    target_compile_options(whisker_options INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
