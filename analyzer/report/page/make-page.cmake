# Makes one page, a file without any reference to another: script and style stand in it, and it says by their hashes that nothing
# else may run. Needs esbuild alone: the libraries are in libraries/.
#   cmake -DESBUILD=PROGRAM -DENTRY=src/main.ts -DTEMPLATE=page.html -DTO=FILE -P make-page.cmake
cmake_minimum_required(VERSION 3.25)
set(page ${CMAKE_CURRENT_LIST_DIR})

execute_process(
  COMMAND ${ESBUILD} ${ENTRY} --bundle --minify --format=esm --target=es2022 --charset=utf8 --legal-comments=none --log-level=warning
          --outdir=${TO}.parts --entry-names=page --alias:@dagrejs/dagre=./libraries/dagre.esm.js --alias:uplot=./libraries/uPlot.esm.js
  WORKING_DIRECTORY ${page} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${ESBUILD} failed")
endif()

# The hash of a text as the policy writes it, in base64: 32 bytes are 43 digits and one sign that fills up.
function(hash_of text result)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(SHA256 hex "${text}")
  string(APPEND hex 00)
  set(made)
  foreach(at RANGE 0 63 3)
    string(SUBSTRING ${hex} ${at} 3 three)
    math(EXPR high "0x${three} >> 6")
    math(EXPR low "0x${three} & 63")
    string(SUBSTRING ${digits} ${high} 1 high)
    string(SUBSTRING ${digits} ${low} 1 low)
    string(APPEND made ${high}${low})
  endforeach()
  string(SUBSTRING ${made} 0 43 made)
  set(${result} "'sha256-${made}='" PARENT_SCOPE)
endfunction()

# Neither may end the element that it stands in.
file(READ ${TO}.parts/page.js script)
string(STRIP "${script}" script)
string(REPLACE "</script" "<\\/script" script "${script}")
file(READ ${TO}.parts/page.css style)
string(STRIP "${style}" style)
string(REPLACE "</style" "<\\/style" style "${style}")

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
file(READ ${page}/licences.txt licences)
file(READ ${page}/${TEMPLATE} made)
string(REPLACE "@LICENCES@" "${licences}" made "${made}")
string(REPLACE "@CSP@" "default-src 'none'; script-src ${script_hash}; style-src ${style_hash}; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'" made "${made}")
string(REPLACE "<script type=\"module\" src=\"/${ENTRY}\"></script>" "<style>${style}</style>\n<script type=\"module\">${script}</script>" made "${made}")
file(WRITE ${TO} "${made}")
file(REMOVE_RECURSE ${TO}.parts)
