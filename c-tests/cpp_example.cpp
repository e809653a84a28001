// examples/cpp_reader.cpp does what it says.
#include "check.hpp"

#include <sstream>

#define main example
#include "../examples/cpp_reader.cpp"
#undef main

// What it prints, behind its exit code.
static std::string run(std::vector<std::string> arguments) {
    std::vector<char *> argv;
    for (std::string &argument : arguments) argv.push_back(argument.data());
    std::ostringstream out, err;
    std::streambuf *const before[] = {std::cout.rdbuf(out.rdbuf()), std::cerr.rdbuf(err.rdbuf())};
    const int code = example(static_cast<int>(argv.size()), argv.data());
    std::cout.rdbuf(before[0]);
    std::cerr.rdbuf(before[1]);
    return std::to_string(code) + '\n' + out.str() + err.str();
}

int main() {
    hurray::writer writer = hurray::writer::create("model.hrry");
    writer.dense("weight", {2, 2}, std::vector<float>{1, 2, 3, 4.5F});
    writer.dense("ids", {3}, std::vector<std::int64_t>{1, 2, 3});
    writer.finish();
    CHECK_EQ(run({"reader", "model.hrry"}), "0\nweight\tfloat32\t[2][2]\nids\tint64\t[3]\n");
    CHECK_EQ(run({"reader", "model.hrry", "weight"}), "0\n4 elements, sum 10.5\n");
    CHECK_EQ(run({"reader", "model.hrry", "ids"}),
             "1\nthe elements of ids are int64, not float32\n");
    CHECK_EQ(run({"reader", "model.hrry", "bias"}), "1\nno tensor of that name: \"bias\"\n");
    CHECK_EQ(run({"reader"}), "2\nusage: reader FILE [TENSOR]\n");
    return 0;
}
