// The other half of cpp_read.cpp: hurray.hpp in a second translation unit of one program, included
// twice.
#include "hurray.hpp"
#include "hurray.hpp"

std::string names_of(const hurray::file &file);
hurray::error thrown_elsewhere(const hurray::file &file);

std::string names_of(const hurray::file &file) {
    std::string names;
    for (hurray::tensor tensor : file.tensors()) names += std::string(tensor.name()) + ',';
    return names;
}

hurray::error thrown_elsewhere(const hurray::file &file) {
    try {
        file.tensor("nothing of the kind");
    } catch (const hurray::error &error) {
        return error;
    }
    return hurray::error(hurray::status::ok, "");
}
