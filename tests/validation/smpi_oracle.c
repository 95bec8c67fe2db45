/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An MPI program for SMPI, SimGrid's own MPI, to run: one collective over N bytes (the vector of
 * an all-reduce; each rank's block of an all-gather; the message of a broadcast; all pieces of one
 * rank in an all-to-all). Rank 0 prints when the last rank was done, in simulated seconds since
 * the start. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const char *collective, int bytes, int ranks)
{
    char *in = calloc((size_t)bytes + 1, 1), *out = calloc((size_t)bytes + 1, (size_t)ranks);
    int *counts = malloc((size_t)ranks * sizeof *counts), known = 1;
    int *starts = malloc((size_t)ranks * sizeof *starts);
    for (int r = 0; r < ranks; r++) {
        counts[r] = bytes;
        starts[r] = r * bytes;
    }
    if (strcmp(collective, "allreduce") == 0)
        MPI_Allreduce(in, out, bytes / (int)sizeof(float), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(collective, "allgather") == 0)
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(collective, "allgatherv") == 0)
        MPI_Allgatherv(in, bytes, MPI_BYTE, out, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(collective, "bcast") == 0)
        MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(collective, "alltoall") == 0)
        MPI_Alltoall(in, bytes / ranks, MPI_BYTE, out, bytes / ranks, MPI_BYTE, MPI_COMM_WORLD);
    else
        known = 0;
    free(starts);
    free(counts);
    free(out);
    free(in);
    return known;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int known = argc == 3 && run(argv[1], atoi(argv[2]), ranks);
    double mine_s = MPI_Wtime(), last_s;
    MPI_Reduce(&mine_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.17g\n", last_s);
    MPI_Finalize();
    return !known;
}
