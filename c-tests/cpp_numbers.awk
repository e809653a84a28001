# Reads include/hurray.h and writes the checks of cpp_numbers.cpp: every number of an enumeration
# has a place in hurray.hpp, under its own name. One that has none does not compile.

BEGIN {
    enumeration["ERROR"] = "status"
    enumeration["TYPE"] = "element_type"
    enumeration["LAYOUT"] = "layout"
    enumeration["SCHEME"] = "scheme"
    enumeration["DEVICE"] = "device"
    enumeration["ACCESS"] = "access"
    enumeration["VALUE"] = "value_type"
    enumeration["ADVICE"] = "advice"
    enumeration["KV_ROLE"] = "kv_role"
    enumeration["RULE"] = "rule"
    enumeration["COMBINE"] = "combine"
    enumeration["MEMBER"] = "member_role"
    enumeration["INDEX"] = "index_type"
    enumeration["ELEMENT"] = "element_kind"
    enumeration["AS"] = "as"
    word["float"] = "real"
    word["signed"] = "signed_integer"
    word["unsigned"] = "unsigned_integer"
    # Flags are members of options, which may say the opposite.
    options["OPEN"] = "open_options"
    options["CHECK"] = "validate_options"
    options["WRITE"] = "writer_options"
    named["TYPE"] = named["LAYOUT"] = named["SCHEME"] = named["DEVICE"] = 1
}
/^#define HRRY_[A-Z]/ {
    for (group in enumeration) {
        if (index($2, "HRRY_" group "_") != 1) continue
        name = tolower(substr($2, length("HRRY_" group "_") + 1))
        # Words of the language.
        member = name == "bool" ? "boolean" : name
        if (group == "ELEMENT" && name in word) member = word[name]
        value = "hurray::" enumeration[group] "::" member
        printf "    static_assert(%s == hurray::%s{%s});\n", value, enumeration[group], $2
        if (group in named) printf "    CHECK_EQ(hurray::name(%s), \"%s\");\n", value, name
        found[group] = 1
    }
    for (group in options) {
        if (index($2, "HRRY_" group "_") != 1) continue
        name = tolower(substr($2, length("HRRY_" group "_") + 1))
        sub(/^no_/, "", name)
        printf "    static_cast<void>(&hurray::%s::%s);\n", options[group], name
    }
}
END {
    for (group in enumeration) {
        if (!(group in found)) {
            print "no HRRY_" group "_ in the header" >"/dev/stderr"
            exit 1
        }
    }
}
