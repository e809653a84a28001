/* Files cut short and files that lack a byte, from memory: an error with a message, or a reading in
   which everything can be walked. 500 of them, spread over five small files. */
#include "walk.h"

enum { OF_EACH = 100 };

static unsigned refused, read_whole, partly;

/* Opens the damaged bytes, which lie in a block of just their size, and walks them. */
static void open_and_walk(const unsigned char *bytes, size_t len) {
    for (uint32_t flags = 0; flags <= HRRY_OPEN_PERMISSIVE; flags++) {
        const hrry_open_options options = {.struct_size = sizeof options, .flags = flags};
        hrry_file *file = NULL;
        hrry_error error = {0}, problems[3];
        uint64_t count = 0;
        const hrry_status status =
            hrry_file_open_memory(bytes, len, NULL, NULL, &options, &file, &error);
        CHECK((file != NULL) == (status == HRRY_OK));
        if (status != HRRY_OK) {
            CHECK(status >= 200 && status < 400); /* a fault of the file, none of ours */
            CHECK_EQ(error.status, status);
            CHECK(error.message[0] != '\0');
            refused++;
            continue;
        }
        const struct walk walk = walk_file(file);
        if (walk.status == HRRY_OK) read_whole++;
        else partly++;
        CHECK(walk.status == HRRY_OK || (walk.status >= 200 && walk.status < 400));
        CHECK_OK(hrry_file_validate(file, NULL, problems, 3, &count, &error));
        for (uint64_t k = 0; k < count && k < 3; k++) CHECK(problems[k].message[0] != '\0');
        if (walk.status != HRRY_OK) CHECK(count > 0);
        hrry_file_close(file);
    }
}

static void damage(const char *path) {
    size_t len;
    unsigned char *bytes = check_slurp(path, &len);
    for (size_t k = 0; k < OF_EACH / 2; k++) {
        /* Everywhere, but twice as often near the ends, where everything but data stands. */
        size_t at = k % 2 == 0 ? k * len / (OF_EACH / 2) : k * 2;
        if (k % 4 == 3) at = len - 1 - k * 2;
        unsigned char *cut = check_malloc(at);
        memcpy(cut, bytes, at);
        open_and_walk(cut, at);
        free(cut);

        unsigned char *lacking = check_malloc(len - 1);
        memcpy(lacking, bytes, at);
        memcpy(lacking + at, bytes + at + 1, len - 1 - at);
        open_and_walk(lacking, len - 1);
        free(lacking);
    }
    open_and_walk(bytes, len);
    free(bytes);
}

int main(void) {
    damage(VECTORS "/edges/kv_flag_clear.hrry");
    damage(VECTORS "/edges/partial_columns.hrry");
    damage(VECTORS "/generated/valid_0001.hrry");
#ifdef REFERENCE
    damage(REFERENCE "/files/stats_shard.hrry");
    damage(REFERENCE "/files/sorted_kv.hrry");
    damage(VECTORS "/edges/nest_8.hrry");
#else
    skip("damage of two reference files", "they are not here");
    damage(VECTORS "/edges/name_control_characters.hrry");
    damage(VECTORS "/edges/nest_8.hrry");
#endif
    CHECK(refused > 800 && read_whole >= 10);
    return 0;
}
