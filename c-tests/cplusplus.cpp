/* The header from C++17: it compiles without a warning, and its functions link as C. */
#include "check.h"

#include <string_view>

int main() {
    hrry_error error{};
    CHECK_EQ(hrry_abi_version(), HRRY_ABI_VERSION);
    CHECK(std::string_view(hrry_status_name(HRRY_OK)) == "ok");
    CHECK_EQ(error.status, HRRY_OK);
    return 0;
}
