// Lists the tensors of a .hrry file; given the name of one, adds up its elements where they lie.
#include <hurray.hpp>
#include <iostream>
#include <numeric>

int main(int argc, char **argv) {
    if (argc != 2 && argc != 3) {
        std::cerr << "usage: " << argv[0] << " FILE [TENSOR]\n";
        return 2;
    }
    try {
        hurray::file file = hurray::file::open(argv[1]);
        if (argc == 2) {
            for (hurray::tensor tensor : file.tensors()) {
                std::cout << tensor.name() << '\t' << hurray::name(tensor.type()) << '\t';
                for (std::uint64_t size : tensor.shape()) std::cout << '[' << size << ']';
                std::cout << '\n';
            }
            return 0;
        }
        // Points into the file and lives as long as it: no copy. Another type is an error.
        hurray::span<const float> elements = file.tensor(argv[2]).elements<float>();
        std::cout << elements.size() << " elements, sum "
                  << std::accumulate(elements.begin(), elements.end(), 0.0) << '\n';
    } catch (const hurray::error &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    return 0;
}
