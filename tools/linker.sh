#!/bin/sh
# Prints the name of the fastest linker that the C compiler can use, or nothing. The C compiler links programs that
# contain DuckDB. These linkers need half the time of the default one.
for linker in mold lld gold; do
  if printf 'int main(){}' | cc -x c - -fuse-ld=$linker -lstdc++ -o /dev/null 2>/dev/null; then
    echo $linker
    exit
  fi
done
