# Embeds text files in a program.
#
#   include(cmake/embed.cmake)
#   embed(TARGET NAMESPACE FUNCTION FILE)
#
# adds a source to TARGET that defines `std::string NAMESPACE::FUNCTION()`, which returns the text of FILE. FILE must be
# ASCII, as compilers require. Without FILE ("") the text is empty. This file, run as a script, writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script ${CMAKE_CURRENT_LIST_FILE})

  function(embed target namespace function file)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -DNAMESPACE=${namespace} -DFUNCTION=${function} -DINPUT=${file} -DOUTPUT=${source}
        -P ${embed_script}
      DEPENDS ${file} ${embed_script} VERBATIM)
    target_sources(${target} PRIVATE ${source})
  endfunction()
  return()
endif()

set(pieces "")
if(INPUT)
  file(READ "${INPUT}" text)
  string(LENGTH "${text}" length)
  # Compilers need not support literals longer than 65536 characters.
  set(piece_length 60000)
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} ${piece_length} piece)
    string(APPEND pieces "  text += R\"embedded(${piece})embedded\";\n")
    math(EXPR at "${at} + ${piece_length}")
  endwhile()
endif()
file(WRITE "${OUTPUT}" "#include <string>

namespace ${NAMESPACE} {
std::string ${FUNCTION}();
}

std::string ${NAMESPACE}::${FUNCTION}() {
  std::string text;
${pieces}  return text;
}
")
