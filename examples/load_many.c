/* Loads every tensor into memory of our own, in one call: in the order of the file, in chunks, with
 * a progress function that could stop it. This is how an engine fills its own buffers.
 *
 *     load_many FILE */
#include <hurray.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Called between chunks. Anything but 0 cancels the load. */
static int progress(void *context, uint64_t done, uint64_t total) {
    int *told = context, percent = total ? (int)(done * 100 / total) : 100;
    if (percent >= *told + 25) {
        printf("%3d %% loaded\n", percent);
        *told = percent;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    hrry_error error;
    hrry_file *file = NULL;
    hrry_load *loads = NULL;
    size_t count = 0;
    int told = 0, code = 1;

    if (hrry_file_open(argv[1], NULL, &file, &error) != HRRY_OK) {
        goto failed;
    }
    count = (size_t)hrry_file_tensor_count(file);
    loads = calloc(count + 1, sizeof *loads);
    if (!loads) {
        fprintf(stderr, "out of memory\n");
        goto done;
    }
    for (size_t k = 0; k < count; k++) {
        const hrry_tensor *tensor = NULL;
        hrry_tensor_facts facts = {.struct_size = sizeof facts};
        if (hrry_file_tensor_at(file, k, &tensor, &error) != HRRY_OK ||
            hrry_tensor_info(tensor, &facts, &error) != HRRY_OK) {
            goto failed;
        }
        /* The first buffer of tensor k, from its byte 0 on. Memory of your device's driver, a
         * slice of one large block: any memory will do. */
        loads[k] = (hrry_load){.tensor = k, .len = (size_t)facts.size};
        loads[k].dst = malloc(loads[k].len + 1);
        if (!loads[k].dst) {
            fprintf(stderr, "out of memory\n");
            goto done;
        }
    }
    hrry_load_options options = {
        .struct_size = sizeof options,
        .progress = progress,
        .context = &told,
    };
    if (hrry_file_load(file, loads, count, &options, &error) != HRRY_OK) {
        goto failed;
    }
    printf("%zu tensors are in memory of our own\n", count);
    code = 0;
    goto done;

failed:
    fprintf(stderr, "%s: %s\n", argv[1], error.message);
done:
    for (size_t k = 0; loads && k < count; k++) {
        free(loads[k].dst);
    }
    free(loads);
    hrry_file_close(file);
    return code;
}
