/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TARGET PATH ...          runs it over its seeds, then over files and the files of folders
 * TARGET --seeds FOLDER    writes the seeds there, for libFuzzer to start from */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(size ? size : 1); /* not ours, so that ASan sees its ends exactly */
    if (!file || !data || fread(data, 1, size, file) != size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        exit(1);
    }
    if (!S_ISDIR(info.st_mode))
        return replay_file(path, (size_t)info.st_size);
    struct dirent **entries;
    int n = scandir(path, &entries, NULL, alphasort), replayed = 0;
    for (int i = 0; i < n; i++) {
        char inner[PATH_MAX];
        snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            replayed += replay(inner);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
    return replayed;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0) {
        fuzz_seed_folder = argv[2];
        fuzz_seeds();
        return 0;
    }
    fuzz_seeds();
    int replayed = 0;
    for (int i = 1; i < argc; i++)
        replayed += replay(argv[i]);
    printf("%zu seeds, %d inputs\n", fuzz_n_seeds, replayed);
    return fuzz_n_seeds == 0;
}
