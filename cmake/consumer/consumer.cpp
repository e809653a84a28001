// Writes a file, reads it back, and says which libhurray it is running with, from C++.
#include <hurray.hpp>
#include <iostream>
#include <vector>

int main() {
    const std::vector<float> values{0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
    try {
        hurray::writer writer = hurray::writer::create("consumer.hrry");
        writer.dense("weight", {2, 3}, values);
        writer.finish();

        const hurray::file file = hurray::file::open("consumer.hrry");
        const hurray::span<const float> read = file.tensor("weight").elements<float>();
        if (std::vector<float>(read.begin(), read.end()) != values) return 1;
    } catch (const hurray::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    std::cout << "libhurray " << hrry_version() << ", header " << HRRY_VERSION_MAJOR << '.'
              << HRRY_VERSION_MINOR << '.' << HRRY_VERSION_PATCH << '\n';
    return 0;
}
