# Reads misuse.txt and include/hurray.h and writes the calls of misuse.c: every function with what
# is valid, then with each parameter spoilt, one at a time. Ends with an error when the header has a
# parameter for which it knows no valid value, so that no function goes untested.

FILENAME ~ /\.txt$/ { read_table(); next }
{ read_header() }
END {
    if (unknown == 0 && functions == 0) complain("no function found in the header")
    if (unknown > 0) exit 1
    print "static void misuse_all(void) {"
    for (f = 1; f <= functions; f++) print "    misuse_" function_name[f] "();"
    print "}"
}

# ---- misuse.txt: FUNCTION.PARAMETER [KIND] EXPRESSION, * for any function ---------------------

function read_table(    key, rest) {
    sub(/#.*/, "")
    if (NF == 0) return
    key = $1
    rest = $0
    sub(/^[ \t]*[^ \t]+[ \t]*/, "", rest)
    sub(/[ \t]+$/, "", rest)
    if (rest ~ /^(optional|index|number|enum|flags|ignored|rank|count|pointer)( |$)/) {
        kind_of[key] = rest
        sub(/ .*/, "", kind_of[key])
        if (!sub(/^[a-z]+[ \t]+/, "", rest)) rest = ""
    }
    if (rest != "") value_of[key] = rest
}

function entry(table, function_, parameter) {
    if ((function_ "." parameter) in table) return table[function_ "." parameter]
    if (("*." parameter) in table) return table["*." parameter]
    return ""
}

# ---- hurray.h ------------------------------------------------------------------------------------

function read_header() {
    sub(/\/\/.*/, "")
    gsub(/\/\*[^*]*\*\//, "")
    if ($0 ~ /^#/ || $0 ~ /^[ \t]*$/) return
    # Opaque types, numbers with names, structs that say their size.
    if ($0 ~ /^typedef struct hrry_[a-z0-9_]+ hrry_/) { opaque[substr($4, 1, length($4) - 1)] = 1; return }
    if ($0 ~ /^typedef u?int[0-9]+_t hrry_/) { number[substr($3, 1, length($3) - 1)] = $2; return }
    if (match($0, /^typedef .*\(\*hrry_[a-z0-9_]+\)/)) {
        sub(/\).*/, "")
        sub(/.*\(\*/, "")
        callback[$0] = 1
        return
    }
    if ($0 ~ /^typedef struct/) { in_struct = 1; sized = 0; return }
    if (in_struct) {
        if ($0 ~ /size_t struct_size;/) sized = 1
        if ($0 ~ /^}/) { in_struct = 0; sub(/;/, "", $2); versioned[$2] = sized }
        return
    }
    if ($0 ~ /^extern "C"|^}/) return
    declaration = declaration " " $0
    if ($0 ~ /;[ \t]*$/) { read_function(declaration); declaration = "" }
}

function read_function(text,    name, result, inside, parts, k) {
    gsub(/[ \t]+/, " ", text)
    sub(/^ /, "", text)
    sub(/ *; *$/, "", text)
    if (text ~ /^typedef/) return
    match(text, /hrry_[a-z0-9_]+ ?\(/)
    name = substr(text, RSTART, RLENGTH - 1)
    sub(/ $/, "", name)
    result = substr(text, 1, RSTART - 1)
    sub(/ $/, "", result)
    inside = substr(text, RSTART + RLENGTH, length(text) - RSTART - RLENGTH)
    parameters = 0
    if (inside != "void") split_parameters(inside)
    function_name[++functions] = name
    for (k = 1; k <= parameters; k++) classify(name, k)
    write_function(name, result)
}

# Splits at the commas outside of parentheses; sets type[] and parameter[].
function split_parameters(text,    k, c, depth, piece) {
    text = text ","
    for (k = 1; k <= length(text); k++) {
        c = substr(text, k, 1)
        if (c == "(") depth++
        if (c == ")") depth--
        if (c == "," && depth == 0) { split_parameter(piece); piece = ""; continue }
        piece = piece c
    }
}

function split_parameter(text,    name) {
    sub(/^ /, "", text)
    sub(/ $/, "", text)
    parameters++
    if (match(text, /\(\*[a-z_]+\)/)) {
        parameter[parameters] = substr(text, RSTART + 2, RLENGTH - 3)
        type[parameters] = "callback"
        return
    }
    match(text, /[a-z0-9_]+$/)
    parameter[parameters] = substr(text, RSTART)
    type[parameters] = substr(text, 1, RSTART - 1)
    sub(/ $/, "", type[parameters])
}

# ---- What a parameter is, and what is valid for it -----------------------------------------------

function classify(function_, k,    base, given) {
    name = parameter[k]
    base = type[k]
    sub(/^const /, "", base)
    sub(/ ?\*+$/, "", base)
    kind[k] = entry(kind_of, function_, name)
    value[k] = entry(value_of, function_, name)
    local[k] = ""
    if (kind[k] == "") kind[k] = kind_by_type(k, base)
    if (value[k] != "") return
    if (name == "error") { value[k] = "&the.error"; return }
    # A place for a result: a variable of the call's own.
    if (type[k] ~ /^const [^*]*\*$/ || type[k] !~ /\*$/) {
        complain(function_ ": " name ": no valid value in misuse.txt")
        return
    }
    if (base in opaque && type[k] ~ /[^*] ?\*$/) {
        complain(function_ ": " name ": no valid value in misuse.txt")
        return
    }
    local[k] = type[k]
    sub(/\*$/, "", local[k])
    sub(/ $/, "", local[k])
    value[k] = "&" name
}

function kind_by_type(k, base) {
    if (parameter[k] == "error") return "optional"
    if (type[k] ~ /\*$/) return has_length(k) ? "pair" : "pointer"
    if (type[k] == "callback" || base in callback) return "pointer"
    if (base in number) return base ~ /status/ ? "number" : "enum"
    if (is_length(k)) return "length"
    if (parameter[k] ~ /index$/) return "index"
    if (parameter[k] == "fd") return "index"
    return "number"
}

function is_length(k) {
    return type[k] !~ /\*/ && parameter[k] ~ /(^|_)(len|count|capacity)$/
}

function has_length(k) {
    return type[k] !~ /\*\*$/ && parameter[k] !~ /^out_/ && k < parameters && is_length(k + 1)
}

function complain(text) {
    print "misuse: " text > "/dev/stderr"
    unknown++
}

# ---- The calls -----------------------------------------------------------------------------------

function write_function(name, result,    k, n, list) {
    print "static void misuse_" name "(void) {"
    if (parameters == 0) print "    (void)" name "();"
    else write_call(name, result, 0, "", "FINE")
    for (k = 1; k <= parameters; k++) {
        if (kind[k] == "optional") write_call(name, result, k, "NULL", "FINE")
        if (kind[k] == "pointer") write_call(name, result, k, "NULL", "ARGUMENT")
        if (kind[k] == "pair") {
            write_call(name, result, k, "NULL", "ARGUMENT", "5")
            write_call(name, result, k, "NULL", "ANYTHING", "0")
            write_call(name, result, k + 1, "0", "ANYTHING")
        }
        list = spoils(kind[k], width(type[k]))
        if (list != "") write_list(name, result, k, list, kind[k] == "number" ? "ANYTHING" : "FAILURE")
    }
    print "}\n"
}

# "int32_t", "double", ... of a type that may have a name of its own.
function width(type_) { return type_ in number ? number[type_] : type_ }

# The values that a number is spoilt with.
function spoils(kind_, type_) {
    if (kind_ == "enum") return "0xFF 0x80 0x100 0x1FF 0x80000000 0xFFFFFFFF"
    if (kind_ == "flags") return "0x10000 0x80000000 0xFFFFFFFF"
    if (kind_ == "rank") return "65 99"
    if (kind_ == "index" && type_ == "int") return "-1 99999 -2147483647"
    if (kind_ == "index" && type_ == "uint32_t") return "1000 0x7FFFFFFF 0xFFFFFFFF"
    if (kind_ == "index") return "1000 0x7FFFFFFF 0xFFFFFFFF 0x100000000 0x7FFFFFFFFFFFFFFF 0xFFFFFFFFFFFFFFFF"
    if (kind_ != "number") return ""
    if (type_ == "bool") return "0 1"
    if (type_ ~ /^(float|double)$/) return "0 -1 1e300 INFINITY NAN"
    if (type_ ~ /^u?int8_t$/) return "0 1 0x7F 0x80 0xFF"
    if (type_ ~ /^(int|u?int32_t)$/) return "0 1 0x7FFFFFFF 0x80000000 0xFFFFFFFF"
    return "0 1 0x7FFFFFFF 0xFFFFFFFF 0x7FFFFFFFFFFFFFFF 0x8000000000000000 0xFFFFFFFFFFFFFFFF"
}

function write_list(name, result, k, list, expected,    values, n, i) {
    n = split(list, values, " ")
    for (i = 1; i <= n; i++) write_call(name, result, k, "(" type[k] ")" values[i], expected)
}

# A call in which parameter `spoilt` (0: none) is `bad`, and the next one `bad_length` if given.
function write_call(name, result, spoilt, bad, expected, bad_length,    k, call, what) {
    what = spoilt ? parameter[spoilt] " = " bad : "all valid"
    if (bad_length != "") what = what ", " bad_length
    call = name "("
    for (k = 1; k <= parameters; k++) {
        if (k > 1) call = call ", "
        if (k == spoilt) call = call bad
        else if (k == spoilt + 1 && bad_length != "") call = call bad_length
        else call = call value[k]
    }
    call = call ")"
    print "    {"
    print "        before(\"" name ": " what "\");"
    for (k = 1; k <= parameters; k++) if (local[k] != "") write_local(k)
    if (result == "hrry_status") {
        print "        hrry_status status = " call ";"
        print "        after(status, " expected ", " (entry_error(spoilt) ? "true" : "false") ");"
    } else if (result == "void") {
        print "        " call ";"
    } else if (result ~ /\*$/) {
        print "        " result "result = " call ";"
        print "        (void)result;"
        write_release(result, "result")
    } else {
        print "        (void)" call ";"
    }
    for (k = 1; k <= parameters; k++) {
        if (local[k] == "") continue
        if (k == spoilt || result != "hrry_status") { print "        (void)" parameter[k] ";"; continue }
        if (local[k] ~ /\*$/) {
            print "        if (status != HRRY_OK) must_be_null(" parameter[k] ");"
            write_release(local[k], parameter[k])
        }
    }
    print "        done();"
    print "    }"
}

function entry_error(spoilt) { return !(spoilt && parameter[spoilt] == "error") }

function write_local(k,    base) {
    base = local[k]
    if (base ~ /\*$/) {
        print "        " base parameter[k] " = (" base ")the.poison;"
    } else if (base in versioned) {
        print "        " base " " parameter[k] ";"
        print "        memset(&" parameter[k] ", 0, sizeof " parameter[k] ");"
        if (versioned[base]) print "        " parameter[k] ".struct_size = sizeof " parameter[k] ";"
    } else {
        print "        " base " " parameter[k] " = 0;"
    }
}

# What a call gave that is ours now.
function write_release(type_, name) {
    if (type_ ~ /^const/) return
    sub(/ \*$/, "", type_)
    if (!(type_ in opaque)) return
    print "        " type_ (type_ ~ /_(file|composite)$/ ? "_close(" : "_free(") name ");"
}
