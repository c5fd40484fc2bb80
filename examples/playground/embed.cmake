# Writes a C++ source with a function that returns the text of a file:
#   cmake -DFUNCTION=… -DINPUT=… -DOUTPUT=… -P embed.cmake
# Without INPUT the text is empty.
set(pieces "")
if(INPUT)
  file(READ "${INPUT}" text)
  string(LENGTH "${text}" length)
  # Compilers need not take longer literals than 65536.
  set(piece_length 60000)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} ${piece_length} piece)
    string(APPEND pieces "  text += R\"embedded(${piece})embedded\";\n")
    math(EXPR at "${at} + ${piece_length}")
  endwhile()
endif()
file(WRITE "${OUTPUT}" "#include \"playground/embedded.hpp\"

std::string playground::${FUNCTION}() {
  std::string text;
${pieces}  return text;
}
")
