#!/bin/sh
# The library as it is installed: what `make install` puts where, programs that are built with it
# in every way that users have, the same again after the tree was moved. Prints a line for each
# case and ends with the counts.
#
# From the environment: CC, CXX, CARGO. HURRAY_INSTALL_CARGO_C=1 installs cargo-c where it is
# missing, which takes many minutes.
root=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$root" || exit 1
CC=${CC:-cc} CXX=${CXX:-c++} CARGO=${CARGO:-cargo} MAKE="${MAKE:-make} --no-print-directory"
export CARGO
target=${CARGO_TARGET_DIR:-$root/target}
consumer=$root/cmake/consumer
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# case_ NAME COMMAND...: a line about it, and what it said when it failed.
case_() {
    name=$1
    shift
    if ("$@") >"$work/log" 2>&1; then
        passed=$((passed + 1))
        echo "ok      $name"
    else
        failed=$((failed + 1))
        echo "FAILED  $name"
        sed 's/^/    /' "$work/log"
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "SKIPPED: install: $1: $2"
}

# have COMMAND PACKAGE: perhaps after installing the package of the distribution that has it.
updated=false
have() {
    command -v "$1" >/dev/null && return 0
    [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 1
    $updated || apt-get update -qq >/dev/null 2>&1
    updated=true
    apt-get install -y -qq "$2" >/dev/null 2>&1
    command -v "$1" >/dev/null
}

die() {
    echo "$*"
    return 1
}

# The first version in Cargo.toml is that of the workspace, and everything has it.
version=$($CARGO metadata --format-version 1 --no-deps --offline |
    sed 's/.*"name":"hurray","version":"\([^"]*\)".*/\1/')
abi=${version%%.*}

# says PROGRAM ANSWER: it runs, in an empty folder, and its first line is that.
says() {
    empty=$(mktemp -d "$work/run.XXXXXX") || return 1
    answer=$(cd "$empty" && "$1") || die "$1 fails" || return 1
    [ "$answer" = "$2" ] || die "$1 says \`$answer\`, not \`$2\`"
}

works() { says "$1" "libhurray $version, header $version"; }

# shared PROGRAM, static PROGRAM: which of the libraries it was linked with.
shared() {
    readelf --dynamic "$1" | grep -q "NEEDED.*\[libhurray.so.$abi\]" || die "$1 is not linked with libhurray.so"
}
static() {
    ! readelf --dynamic "$1" | grep -q 'NEEDED.*libhurray' || die "$1 is linked with libhurray.so"
}

# build LANGUAGE OUTPUT OPTIONS...: the consumer in C or in C++.
build() {
    language=$1 output=$2
    shift 2
    if [ "$language" = C ]; then
        $CC -std=c99 -Wall -Wextra -Werror -o "$output" "$consumer/consumer.c" "$@"
    else
        $CXX -std=c++17 -Wall -Wextra -Werror -o "$output" "$consumer/consumer.cpp" "$@"
    fi
}

# ---- The cases --------------------------------------------------------------------------------

# The files below a folder, links with what they stand for.
listing() { (cd "$1" && find . ! -type d -printf '%P %l\n' | sed 's/ $//' | LC_ALL=C sort); }

# wanted LIBDIR: what an installed tree holds.
wanted() {
    {
        for header in include/*.h include/*.hpp; do [ ! -f "$header" ] || echo "$header"; done
        echo "$1/libhurray.so libhurray.so.$version"
        echo "$1/libhurray.so.$abi libhurray.so.$version"
        echo "$1/libhurray.so.$version"
        echo "$1/libhurray.a"
        echo "$1/pkgconfig/hurray.pc"
        echo 'share/doc/hurray/LICENSE-APACHE'
        echo 'share/doc/hurray/LICENSE-MIT'
        [ "$2" = all ] || return
        echo "$1/cmake/hurray/hurray-config.cmake"
        echo "$1/cmake/hurray/hurray-config-version.cmake"
        echo 'bin/hrry'
        for page in build/man/*.1; do
            [ ! -f "$page" ] || echo "share/man/man1/${page##*/}"
        done
        ! [ -f build/completions/hrry ] || echo share/bash-completion/completions/hrry
        ! [ -f build/completions/_hrry ] || echo share/zsh/site-functions/_hrry
        ! [ -f build/completions/hrry.fish ] || echo share/fish/vendor_completions.d/hrry.fish
    } | LC_ALL=C sort
}

holds() {
    wanted "$2" "$3" >"$work/wanted"
    listing "$1" | diff "$work/wanted" -
}

installed() {
    $MAKE install PREFIX="$tree" && holds "$tree" lib all
}

# One number in Cargo.toml, and everything else follows.
versions() {
    numbers=$(sed -n 's/^#define HRRY_VERSION_[A-Z]* //p' "$tree/include/hurray.h" | tr '\n' '.')
    [ "$numbers" = "$version." ] || die "the header says $numbers" || return 1
    grep -qx "#define HRRY_ABI_VERSION $abi" "$tree/include/hurray.h" ||
        die 'the header has another ABI number' || return 1
    grep -qx "Version: $version" "$tree/lib/pkgconfig/hurray.pc" ||
        die "hurray.pc says $(grep Version "$tree/lib/pkgconfig/hurray.pc")" || return 1
    grep -q "PACKAGE_VERSION \"$version\"" "$tree/lib/cmake/hurray/hurray-config-version.cmake" ||
        die 'the CMake package has another version' || return 1
    readelf --dynamic "$tree/lib/libhurray.so" | grep -q "soname: \[libhurray.so.$abi\]" ||
        die 'the library has another soname' || return 1
    [ "$("$tree/bin/hrry" --version)" = "hrry $version" ] || die 'hrry has another version'
}

# What rustc says of the library that is installed, of any, and what consumers are told.
system_libraries() {
    needed=$(cat build/native-static-libs)
    [ -n "$needed" ] && [ "$(sh scripts/static-libs.sh)" = "$needed" ] &&
        grep -qxF "Libs.private: $needed" "$tree/lib/pkgconfig/hurray.pc" &&
        [ "$(sed -n 's/.*INTERFACE_LINK_LIBRARIES "\(.*\)".*/-l\1/p' \
            "$tree/lib/cmake/hurray/hurray-config.cmake" | sed 's/;/ -l/g')" = "$needed" ]
}

# Whoever installs may be root and have no Rust.
no_cargo() {
    $MAKE install CARGO=false PREFIX="$work/no-cargo" && holds "$work/no-cargo" lib all
}

without_symbols() {
    $MAKE install-strip PREFIX="$work/bare" &&
        holds "$work/bare" lib all &&
        ! readelf --sections "$work/bare/lib/libhurray.so" | grep -q debug_ &&
        build C "$work/bare-c" -I"$work/bare/include" "$work/bare/lib/libhurray.a" \
            $(cat build/native-static-libs) &&
        works "$work/bare-c"
}

# As a packager does: elsewhere than it will be used, libraries where Debian has them.
stage=$work/stage folders='PREFIX=/opt/hurray LIBDIR=/opt/hurray/lib/multi MANDIR=/opt/hurray/man'
staged() {
    $MAKE install DESTDIR="$stage" $folders || return 1
    listing "$stage" | grep -v '^opt/hurray/' && die 'files outside of the prefix' && return 1
    grep -rIl "$stage" "$stage" && die 'the folder of the packager is in these' && return 1
    PKG_CONFIG_PATH=$stage/opt/hurray/lib/multi/pkgconfig
    export PKG_CONFIG_PATH
    build C "$work/staged" $(pkg-config --static --cflags --libs hurray | sed 's/-lhurray/-l:libhurray.a/') &&
        works "$work/staged"
}

uninstalled() {
    $MAKE uninstall DESTDIR="$stage" $folders && [ -z "$(listing "$stage")" ]
}

# Where folders have nothing in common, the pkg-config file says them in full.
apart() {
    $MAKE install-library DESTDIR="$work/apart" PREFIX=/usr LIBDIR=/lib64 INCLUDEDIR=/headers || return 1
    PKG_CONFIG_PATH=$work/apart/lib64/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --variable=libdir hurray) $(pkg-config --variable=includedir hurray)" = \
        '/lib64 /headers' ]
}

# plain LANGUAGE LIBRARY
plain() {
    output=$work/plain-$1-$2
    if [ "$2" = shared ]; then
        build "$1" "$output" -I"$tree/include" -L"$tree/lib" -lhurray -Wl,-rpath,"$tree/lib"
    else
        build "$1" "$output" -I"$tree/include" "$tree/lib/libhurray.a" $(cat build/native-static-libs)
    fi &&
        "$2" "$output" && works "$output"
}

# by_pkg_config LANGUAGE LIBRARY
by_pkg_config() {
    output=$work/pkg-config-$1-$2
    PKG_CONFIG_PATH=$tree/lib/pkgconfig LD_LIBRARY_PATH=$tree/lib
    export PKG_CONFIG_PATH LD_LIBRARY_PATH
    if [ "$2" = shared ]; then
        flags=$(pkg-config --cflags --libs hurray)
    else
        flags=$(pkg-config --static --cflags --libs hurray | sed 's/-lhurray/-l:libhurray.a/')
    fi || return 1
    build "$1" "$output" $flags && "$2" "$output" && works "$output"
}

# Where the static library alone is installed, nothing special has to be said.
static_alone() {
    alone=$work/alone
    rm -rf "$alone"
    cp -a "$tree" "$alone" && rm "$alone"/lib/libhurray.so* || return 1
    PKG_CONFIG_PATH=$alone/lib/pkgconfig
    export PKG_CONFIG_PATH
    build C "$work/alone-c" $(pkg-config --static --cflags --libs hurray) &&
        static "$work/alone-c" && works "$work/alone-c"
}

# by_cmake GENERATOR DEFAULT OPTIONS...: DEFAULT is what hurray::hurray has to be.
by_cmake() {
    folder=$(mktemp -d "$work/cmake.XXXXXX") generator=$1 default=$2
    shift 2
    CFLAGS='-Wall -Wextra -Werror' CXXFLAGS='-Wall -Wextra -Werror' cmake -G "$generator" \
        -S "$consumer" -B "$folder" -DCPP="${cpp:+ON}" "$@" >"$folder/log" 2>&1 ||
        { cat "$folder/log"; return 1; }
    # Whatever CMake has to complain about is our fault: the project is small enough.
    ! grep -i 'warning' "$folder/log" || return 1
    cmake --build "$folder" || return 1
    for language in c $cpp; do
        shared "$folder/$language-shared" && works "$folder/$language-shared" &&
            static "$folder/$language-static" && works "$folder/$language-static" &&
            "$default" "$folder/$language-hurray" && works "$folder/$language-hurray" || return 1
    done
    says "$folder/c-part" "libhurray $version"
}

found_by_cmake() { by_cmake "$generator" shared -DCMAKE_PREFIX_PATH="$tree" "$@"; }

static_by_default() {
    $MAKE install PREFIX="$work/static" LINKAGE=static &&
        by_cmake "$generator" static -DCMAKE_PREFIX_PATH="$work/static" -DBUILD_SHARED_LIBS=ON
}

# requests FOLDER: of the CMake package.
requests() {
    cmake -S tests/install/requests -B "$(mktemp -d "$work/cmake.XXXXXX")" -DVERSION="$version" \
        -DHURRAY_FOLDER="$1"
}

# By a way that has a link in it, as where /lib is a link to /usr/lib.
through_a_link() {
    mkdir "$work/link" && ln -s "$tree/lib" "$work/link/lib" &&
        by_cmake "$generator" shared -Dhurray_DIR="$work/link/lib/cmake/hurray"
}

# The commands are those of `make lib`, so that what it has built is not built again.
from_sources() {
    by_cmake "$generator" "$1" -DHOW="$2" -DSOURCES="$root" -DHURRAY_LINKAGE="$1" \
        -DHURRAY_CARGO_TARGET_DIR="$target/artefacts" -DBUILD_SHARED_LIBS="$3"
}

# ways: all ways to use what is in $tree.
ways() {
    for language in C ${cpp:+C++}; do
        for library in shared static; do
            case_ "$1: $language, cc, $library" plain $language $library
            if $have_pkg_config; then
                case_ "$1: $language, pkg-config, $library" by_pkg_config $language $library
            fi
        done
    done
    if $have_pkg_config; then
        case_ "$1: C, pkg-config, the static library alone" static_alone
    fi
    if $have_cmake; then
        case_ "$1: CMake, shared, static and default" found_by_cmake -DBUILD_SHARED_LIBS=OFF
        case_ "$1: CMake, versions and components" requests "$tree"
    fi
}

# What cargo-c installs is what `make install-library` does, and `make install-extras` completes it.
by_cargo_c() {
    $CARGO capi install --profile dev --target-dir "$target/capi" --destdir "$work/cargo-c" \
        --prefix /usr --libdir lib || return 1
    holds "$work/cargo-c/usr" lib library || return 1
    for header in include/*.h*; do
        cmp "$header" "$work/cargo-c/usr/$header" || return 1
    done
    readelf --dynamic "$work/cargo-c/usr/lib/libhurray.so" | grep -q "soname: \[libhurray.so.$abi\]" ||
        die 'the library has another soname' || return 1
    PKG_CONFIG_PATH=$work/cargo-c/usr/lib/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion hurray)" = "$version" ] &&
        build C "$work/cargo-c-c" $(pkg-config --define-prefix --static --cflags --libs hurray) \
            -Wl,-rpath,"$work/cargo-c/usr/lib" &&
        shared "$work/cargo-c-c" && works "$work/cargo-c-c" &&
        $MAKE install-extras DESTDIR="$work/cargo-c" PREFIX=/usr && holds "$work/cargo-c/usr" lib all
}

# ---- Run them ---------------------------------------------------------------------------------

$MAKE --silent build/lib/libhurray.a build/bin/hrry >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

cpp=cpp # empty without a C++ compiler
command -v "${CXX%% *}" >/dev/null || cpp=''
[ -n "$cpp" ] || skip 'C++' 'there is no compiler'
have_pkg_config=true
have pkg-config pkgconf || have_pkg_config=false
have_cmake=true generator='Unix Makefiles'
have cmake cmake || have_cmake=false
if $have_cmake; then
    if have ninja ninja-build; then
        generator=Ninja
    else
        skip 'CMake with ninja' 'it is not installed'
    fi
else
    skip 'CMake' 'it is not installed'
fi
$have_pkg_config || skip 'pkg-config' 'it is not installed'

tree=$work/usr
case_ 'make install' installed
case_ 'versions are those of Cargo.toml' versions
case_ 'the system libraries that rustc names' system_libraries
case_ 'make install without cargo' no_cargo
case_ 'make install-strip' without_symbols
if $have_pkg_config; then
    case_ 'make install with DESTDIR and LIBDIR' staged
    case_ 'make uninstall' uninstalled
    case_ 'make install with folders that have nothing in common' apart
fi

ways installed
if $have_cmake; then
    case_ 'installed: CMake, by a way that has a link in it' through_a_link
    case_ 'installed: CMake, static by default' static_by_default
fi
mkdir -p "$work/moved/elsewhere"
mv "$tree" "$work/moved/elsewhere/hurray"
tree=$work/moved/elsewhere/hurray
ways moved

if $have_cmake; then
    case_ 'sources: CMake, add_subdirectory' from_sources shared subdirectory OFF
    case_ 'sources: CMake, FetchContent' from_sources static fetch ON
fi

if ! $CARGO capi --version >/dev/null 2>&1 && [ "${HURRAY_INSTALL_CARGO_C:-}" = 1 ]; then
    nice "$CARGO" install --quiet --locked cargo-c
fi
if $CARGO capi --version >/dev/null 2>&1; then
    case_ 'cargo-c installs the same' by_cargo_c
else
    skip 'cargo-c' 'it is not installed (HURRAY_INSTALL_CARGO_C=1 installs it)'
fi

if $have_cmake && $have_pkg_config && [ -n "$cpp" ]; then
    case_ 'README.md, word for word' sh tests/install/readme.sh
    grep '^\$' "$work/log" | sed 's/^/        /'
else
    skip 'README.md, word for word' 'it speaks of C++, CMake and pkg-config'
fi

case_ 'size, dependencies, time to load' sh tests/install/size.sh
sed 's/^/        /' "$work/log"

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
