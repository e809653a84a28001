// Says which libhurray it is running with, from C++.
#include <cstring>
#include <hurray.h>
#include <iostream>
#if __has_include(<hurray.hpp>)
#include <hurray.hpp>
#endif

int main() {
    hrry_error error;
    hrry_file *file = nullptr;
    const hrry_status status = hrry_file_open("/no such folder/file.hrry", nullptr, &file, &error);
    if (status == HRRY_OK || file != nullptr || std::strlen(error.message) == 0) return 1;
    std::cout << "libhurray " << hrry_version() << ", header " << HRRY_VERSION_MAJOR << '.'
              << HRRY_VERSION_MINOR << '.' << HRRY_VERSION_PATCH << '\n';
    return 0;
}
