# cmake -DFILE=file -P BpflinkDependencies.cmake: leaves only the first rule of a dependency file. The
# others, which have no dependencies, keep Make from stopping at deleted files; CMake's generators write
# their own. With CMake 4.3 and Make, ours would replace what another file says of the same object.
file(READ ${FILE} rules)
string(FIND "${rules}" "\n\n" end)
string(SUBSTRING "${rules}" 0 ${end} rules)
file(WRITE ${FILE} "${rules}\n")
