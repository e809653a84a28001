# The structs of include/hurray.h that begin with their own size: options.c must know each. And their
# fields that mean nothing yet, or not with every bit.
/^typedef struct hrry_[a-z0-9_]+ \{/ { name = $3; sized = 0 }
/^ *size_t struct_size;/ { sized = 1; print "MUST_COVER(" name ")" }
sized && /^ *uint32_t (reserved|padding);/ { sub(/;/, "", $2); print "MUST_BE_ZERO(" name ", " $2 ", 1)" }
sized && /^ *uint32_t (flags|checks|computed_mask);/ { sub(/;/, "", $2); print "MUST_BE_ZERO(" name ", " $2 ", 0x80000000)" }
/^}/ { sized = 0 }
