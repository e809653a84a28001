# The structs of include/hurray.h that begin with their own size: options.c must know each.
/^typedef struct hrry_[a-z0-9_]+ \{/ { name = $3 }
/^ *size_t struct_size;/ { print "MUST_COVER(" name ")" }
