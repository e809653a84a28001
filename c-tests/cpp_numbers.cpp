// hurray.hpp has every number of hurray.h. What fails to compile here is missing there.
#include "check.hpp"

int main() {
#include "cpp_numbers.inc"
    static_assert(hurray::status::ok == hurray::status{HRRY_OK});
    return 0;
}
