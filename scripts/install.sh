#!/bin/sh
# What `make install` and `make uninstall` do, with what `make` has built.
#
#   scripts/install.sh library     headers, libraries, pkg-config file, licences
#   scripts/install.sh extras      CMake package, program, manual pages, completions
#   scripts/install.sh uninstall   removes all of these
#
# From the environment: VERSION, the folders PREFIX BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR (where
# things will be used), DESTDIR (put before all of them), LINKAGE (what hurray::hurray of the CMake
# package stands for: shared or static), and STRIP, set to a program for libraries and program
# without symbols.
set -eu
cd "$(dirname "$0")/.."

ABI=${VERSION%%.*}
SHARED=libhurray.so.$VERSION
COMPLETIONS="bash-completion/completions/hrry zsh/site-functions/_hrry
    fish/vendor_completions.d/hrry.fish"
case $ABI in
    0) remainder=${VERSION#*.} SERIES=0.${remainder%%.*} ;;
    *) SERIES=$ABI ;;
esac

die() {
    echo "install: $*" >&2
    exit 1
}

# place MODE SOURCE TARGET: one file.
place() {
    mkdir -p "$DESTDIR${3%/*}"
    install -m "$1" "$2" "$DESTDIR$3"
    echo "$DESTDIR$3"
}

# link TARGET NAME
link() {
    ln -sf "$1" "$DESTDIR$2"
    echo "$DESTDIR$2 -> $1"
}

# bare FILE OPTIONS...: without symbols, when that is wished for.
bare() {
    file=$1
    shift
    [ -z "${STRIP:-}" ] || "$STRIP" "$@" "$DESTDIR$file"
}

# relative FROM TO: the way from one absolute folder to another, `.` when it is the same.
relative() {
    from=${1%/}/ to=${2%/}/ way=''
    while [ "${to#"$from"}" = "$to" ]; do
        from=${from%/}
        from=${from%/*}/
        way=../$way
    done
    way=$way${to#"$from"}
    way=${way%/}
    echo "${way:-.}"
}

# Fills in a template: @NAME@ becomes the value of the variable NAME.
fill() {
    program=''
    for name in VERSION ABI SERIES LINKAGE POINTER_BYTES STATIC_LIBRARIES STATIC_LIBRARIES_CMAKE \
        LIBDIR_TO_INCLUDEDIR PKGCONFIG_PREFIX PKGCONFIG_INCLUDEDIR PKGCONFIG_LIBDIR; do
        eval "value=\${$name-}"
        value=$(printf '%s' "$value" | sed 's/[\\&|]/\\&/g')
        program="$program s|@$name@|$value|g;"
    done
    mkdir -p "$DESTDIR${2%/*}"
    rm -f "$DESTDIR$2"
    sed "$program" "$1" >"$DESTDIR$2"
    chmod 644 "$DESTDIR$2"
    echo "$DESTDIR$2"
    if grep -n '@[A-Z_]*@' "$DESTDIR$2" >&2; then die "$1 has a name that is not filled in"; fi
}

# below FOLDER: as the pkg-config file says it, from the prefix on where that is possible.
below() {
    case $1/ in
        "${PREFIX%/}"/*) echo "\${prefix}${1#"${PREFIX%/}"}" ;;
        *) echo "$1" ;;
    esac
}

read_build() {
    for built in "build/lib/$SHARED" build/lib/libhurray.a build/native-static-libs; do
        [ -f "$built" ] || die "$built is not there: run make first"
    done
    STATIC_LIBRARIES=$(cat build/native-static-libs)
    STATIC_LIBRARIES_CMAKE=$(printf '%s' "$STATIC_LIBRARIES" | sed 's/^ *-l//; s/  *-l/;/g')
    # The class of an ELF file: 1 for 32 bits, 2 for 64.
    POINTER_BYTES=$(($(od -An -tu1 -j4 -N1 "build/lib/$SHARED") * 4))
    LIBDIR_TO_INCLUDEDIR=$(relative "$LIBDIR" "$INCLUDEDIR")
    case $LIBDIR/ in
        # The file says where it is, so that the tree can be moved.
        "${PREFIX%/}"/*) PKGCONFIG_PREFIX="\${pcfiledir}/$(relative "$LIBDIR/pkgconfig" "$PREFIX")" ;;
        *) PKGCONFIG_PREFIX=$PREFIX ;;
    esac
    PKGCONFIG_INCLUDEDIR=$(below "$INCLUDEDIR")
    PKGCONFIG_LIBDIR=$(below "$LIBDIR")
}

install_library() {
    read_build
    for header in include/*.h include/*.hpp; do
        [ ! -f "$header" ] || place 644 "$header" "$INCLUDEDIR/${header##*/}"
    done
    place 755 "build/lib/$SHARED" "$LIBDIR/$SHARED"
    bare "$LIBDIR/$SHARED" --strip-unneeded
    link "$SHARED" "$LIBDIR/libhurray.so.$ABI"
    link "$SHARED" "$LIBDIR/libhurray.so"
    place 644 build/lib/libhurray.a "$LIBDIR/libhurray.a"
    bare "$LIBDIR/libhurray.a" --strip-debug
    fill pkgconfig/hurray.pc.in "$LIBDIR/pkgconfig/hurray.pc"
    for licence in LICENSE-*; do place 644 "$licence" "$DOCDIR/$licence"; done
}

install_extras() {
    read_build
    fill cmake/hurray-config.cmake.in "$LIBDIR/cmake/hurray/hurray-config.cmake"
    fill cmake/hurray-config-version.cmake.in "$LIBDIR/cmake/hurray/hurray-config-version.cmake"
    [ -f build/bin/hrry ] || die 'build/bin/hrry is not there: run make first'
    place 755 build/bin/hrry "$BINDIR/hrry"
    bare "$BINDIR/hrry" --strip-unneeded
    for page in build/man/*.1; do
        [ ! -f "$page" ] || place 644 "$page" "$MANDIR/man1/${page##*/}"
    done
    for completion in $COMPLETIONS; do
        source=build/completions/${completion##*/}
        [ ! -f "$source" ] || place 644 "$source" "$DATADIR/$completion"
    done
}

# Folders are left when something else is in them.
uninstall() {
    rm -f "$DESTDIR$INCLUDEDIR/hurray.h" "$DESTDIR$INCLUDEDIR/hurray.hpp"
    rm -f "$DESTDIR$LIBDIR/libhurray.a" "$DESTDIR$LIBDIR/libhurray.so" \
        "$DESTDIR$LIBDIR/libhurray.so.$ABI" "$DESTDIR$LIBDIR/$SHARED"
    rm -f "$DESTDIR$LIBDIR/pkgconfig/hurray.pc"
    rm -f "$DESTDIR$LIBDIR/cmake/hurray/hurray-config.cmake" \
        "$DESTDIR$LIBDIR/cmake/hurray/hurray-config-version.cmake"
    rm -f "$DESTDIR$BINDIR/hrry" "$DESTDIR$MANDIR/man1/hrry.1" "$DESTDIR$MANDIR/man1"/hrry-*.1
    rm -f "$DESTDIR$DOCDIR"/LICENSE-*
    for completion in $COMPLETIONS; do rm -f "$DESTDIR$DATADIR/$completion"; done
    rmdir "$DESTDIR$LIBDIR/cmake/hurray" "$DESTDIR$DOCDIR" 2>/dev/null || true
}

# One slash between folders and none at the end, where the ways between them are counted.
for name in PREFIX BINDIR LIBDIR INCLUDEDIR MANDIR DATADIR; do
    eval "folder=\$$name"
    case $folder in
        /*) ;;
        *) die "$name is \`$folder\`, which is not an absolute path" ;;
    esac
    folder=$(printf '%s' "$folder" | sed 's|//*|/|g; s|\(.\)/$|\1|')
    eval "$name=\$folder"
done
DOCDIR=$DATADIR/doc/hurray
case ${LINKAGE:=shared} in
    shared | static) ;;
    *) die "LINKAGE is shared or static, not $LINKAGE" ;;
esac
case ${1:-} in
    library) install_library ;;
    extras) install_extras ;;
    uninstall) uninstall ;;
    *) die 'library, extras or uninstall?' ;;
esac
