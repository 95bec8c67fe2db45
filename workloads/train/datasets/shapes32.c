/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A generated data set of the size of CIFAR-10, for machines without it. Results on it say nothing
 * about photographs.
 *
 * Each image shows one of ten shapes, anywhere, turned, stretched and sheared, in two random
 * colours with a wave of brightness over each, behind a bar and between scraps of other colours,
 * under noise. Only the outline tells the class, so a linear model learns little. Image i of the
 * training and of the test set depends only on i, so every run uses the same images. The code uses
 * only additions, multiplications, divisions and square roots of doubles, which give the same bytes
 * on all machines. */
#include <math.h>

#include "base/rng.h"
#include "workloads/train/datasets/dataset.h"

enum { SIZE = 32, CHANNELS = 3, CLASSES = 10, TRAINING = 50000, TEST = 10000, SCRAPS = 4 };

enum { SEED_SHAPES = 0x73686170 }; /* "shap": stream of random numbers */

/* ---- random numbers -------------------------------------------------------------------------- */

static double uniform(uint64_t *state, double from, double to)
{
    return from + (to - from) * ((double)(egc_rng_next(state) >> 11) * 0x1p-53);
}

/* Draws a unit vector by a point in the disc. */
static void draw_direction(uint64_t *state, double *x, double *y)
{
    double length;
    do {
        *x = uniform(state, -1, 1);
        *y = uniform(state, -1, 1);
        length = sqrt(*x * *x + *y * *y);
    } while (length > 1 || length < 0.01);
    *x /= length;
    *y /= length;
}

/* fmin, fmax and fabs are function calls; values here are never NaN. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double size_of(double a)
{
    return a < 0 ? -a : a;
}

/* ---- shapes: negative inside, about the distance to the outline outside ---------------------- */

static double box(double u, double v, double width, double height)
{
    return larger(size_of(u) - width, size_of(v) - height);
}

static double disc(double u, double v, double radius)
{
    return sqrt(u * u + v * v) - radius;
}

static double shape_at(int shape, double u, double v)
{
    switch (shape) {
    case 0: /* a disc */
        return disc(u, v, 0.9);
    case 1: /* a ring */
        return size_of(disc(u, v, 0.72)) - 0.24;
    case 2: /* a square */
        return box(u, v, 0.8, 0.8);
    case 3: /* a frame */
        return size_of(box(u, v, 0.68, 0.68)) - 0.2;
    case 4: /* a triangle */
        return larger(-v - 0.5, 0.866 * size_of(u) + 0.5 * v - 0.5);
    case 5: /* a cross */
        return smaller(box(u, v, 1, 0.28), box(u, v, 0.28, 1));
    case 6: /* a bar */
        return box(u, v, 1.1, 0.36);
    case 7: /* two bars */
        return box(u, size_of(v) - 0.55, 0.95, 0.26);
    case 8: /* a crescent */
        return larger(disc(u, v, 1), -disc(u - 0.5, v, 0.8));
    default: /* a tee */
        return smaller(box(u, v - 0.62, 0.95, 0.28), box(u, v + 0.1, 0.28, 0.9));
    }
}

/* ---- figures: a shape at a place ------------------------------------------------------------- */

typedef struct figure {
    int shape;
    double x, y;           /* centre, in pixels */
    double xu, yu, xv, yv; /* u = xu dx + yu dy, v = xv dx + yv dy */
    double softness;       /* width and height of the outline, in units of u and v */
    double reach;          /* no pixel further away from the centre is covered */
} figure;

/* A turn by up to 31 degrees, then different sizes along both axes, then a shear. */
static figure draw_figure(uint64_t *state, int shape, double least, double most, double margin)
{
    const double tangent = uniform(state, -0.6, 0.6);
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    const double width = uniform(state, least, most);
    const double height = width * uniform(state, 0.75, 1.33);
    const double shear = uniform(state, -0.3, 0.3);
    figure f = {.shape = shape, .softness = 0.6 / width, .reach = 2 * larger(width, height) + 1};
    f.x = uniform(state, margin, SIZE - margin);
    f.y = uniform(state, margin, SIZE - margin);
    f.xv = -sine / height;
    f.yv = cosine / height;
    f.xu = cosine / width + shear * f.xv;
    f.yu = sine / width + shear * f.yv;
    return f;
}

/* How much of a pixel the figure covers, 0 .. 1. */
static double coverage(const figure *f, double x, double y)
{
    const double dx = x - f->x, dy = y - f->y;
    const double distance = shape_at(f->shape, f->xu * dx + f->yu * dy, f->xv * dx + f->yv * dy);
    return smaller(1, larger(0, 0.5 - distance / f->softness));
}

/* ---- paints: a colour with waves of brightness ----------------------------------------------- */

typedef struct paint {
    double colour[CHANNELS];
    double x, y, phase; /* direction and phase of the wave */
    double strength;
} paint;

static paint draw_paint(uint64_t *state)
{
    paint p;
    for (int i = 0; i < CHANNELS; i++)
        p.colour[i] = uniform(state, 0.1, 0.9);
    draw_direction(state, &p.x, &p.y);
    const double period = uniform(state, 4, 24);
    p.x /= period;
    p.y /= period;
    p.phase = uniform(state, 0, 1);
    p.strength = uniform(state, 0, 0.25);
    return p;
}

/* A triangle wave, -1 .. 1, times the strength. The place is below 16 in size. */
static double brightness(const paint *p, double x, double y)
{
    const double place = p->x * x + p->y * y + p->phase + 16;
    return p->strength * (4 * size_of(place - (double)(int)place - 0.5) - 1);
}

static double contrast(const paint *a, const paint *b)
{
    double sum = 0;
    for (int i = 0; i < CHANNELS; i++)
        sum += size_of(a->colour[i] - b->colour[i]);
    return sum;
}

/* ---- images ---------------------------------------------------------------------------------- */

/* The background, scraps, the shape and a bar, each painted over those before it. */
enum { SHAPE = SCRAPS, BAR, FIGURES };

typedef struct scene {
    paint background;
    figure figures[FIGURES];
    paint paints[FIGURES];
    double noise;
} scene;

static void draw_scene(uint64_t *state, int label, scene *s)
{
    s->background = draw_paint(state);
    for (int i = 0; i < FIGURES; i++)
        s->paints[i] = draw_paint(state);
    while (contrast(&s->paints[SHAPE], &s->background) < 0.8)
        s->paints[SHAPE] = draw_paint(state);
    for (int i = 0; i < SCRAPS; i++)
        s->figures[i] = draw_figure(state, (int)uniform(state, 0, CLASSES), 1, 3, 0);
    s->figures[SHAPE] = draw_figure(state, label, 7, 11, 10);
    s->figures[BAR] = draw_figure(state, 6, 2, 5, 0);
    s->noise = uniform(state, 0.02, 0.16);
}

typedef double canvas[CHANNELS][SIZE][SIZE];

static void paint_background(const paint *p, canvas out)
{
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            const double light = brightness(p, x, y);
            for (int i = 0; i < CHANNELS; i++)
                out[i][y][x] = p->colour[i] + light;
        }
}

static void paint_figure(const figure *f, const paint *p, canvas out)
{
    const int left = (int)larger(0, f->x - f->reach), top = (int)larger(0, f->y - f->reach);
    const int right = (int)smaller(SIZE - 1, f->x + f->reach);
    const int bottom = (int)smaller(SIZE - 1, f->y + f->reach);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            const double share = coverage(f, x, y);
            if (share == 0)
                continue;
            const double light = brightness(p, x, y);
            for (int i = 0; i < CHANNELS; i++)
                out[i][y][x] += share * (p->colour[i] + light - out[i][y][x]);
        }
}

/* The sum of four uniform numbers: near to normal, of mean 0 and deviation 1. */
static double draw_noise(uint64_t *state)
{
    const uint64_t bits = egc_rng_next(state);
    const int sum =
        (int)((bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48)) -
        0x20000;
    return sum * (0x1p-16 * 1.7320508075688772);
}

static int draw_image(uint64_t seed, uint8_t *out)
{
    uint64_t state = seed;
    const int label = (int)uniform(&state, 0, CLASSES);
    scene s;
    canvas image;
    draw_scene(&state, label, &s);
    paint_background(&s.background, image);
    for (int i = 0; i < FIGURES; i++)
        paint_figure(&s.figures[i], &s.paints[i], image);
    const double *values = &image[0][0][0];
    for (int i = 0; i < CHANNELS * SIZE * SIZE; i++) {
        const double value = values[i] + s.noise * draw_noise(&state);
        out[i] = (uint8_t)(255 * smaller(1, larger(0, value)) + 0.5);
    }
    return label;
}

static egc_status draw_half(uint64_t half, size_t count, egc_examples *out, egc_error *err)
{
    const size_t image = CHANNELS * SIZE * SIZE;
    egc_status status = egc_buf_reserve(&out->values, count * image, err);
    if (!status)
        status = egc_buf_reserve(&out->labels, count, err);
    if (status)
        return status;
    for (size_t i = 0; i < count; i++)
        out->labels.data[i] = (uint8_t)draw_image(egc_rng_derive_seed(SEED_SHAPES, half, i),
                                                  out->values.data + i * image);
    out->values.len = count * image;
    out->labels.len = out->count = count;
    return EGC_OK;
}

static egc_status load(const egc_dataset_type *type, const char *folder, size_t training_limit,
                       size_t test_limit, egc_dataset *out, egc_error *err)
{
    (void)type, (void)folder;
    const size_t training = training_limit < TRAINING ? training_limit : TRAINING;
    const size_t test = test_limit < TEST ? test_limit : TEST;
    egc_status status = draw_half(0, training, &out->training, err);
    return status ? status : draw_half(1, test, &out->test, err);
}

const egc_dataset_type egc_dataset_shapes32 = {
    .name = "shapes32",
    .summary = "60,000 generated colour images of 32 x 32, ten shapes; needs no files",
    .reference = "generated here, in the format of CIFAR-10, where that cannot be had",
    .shape = {3, {CHANNELS, SIZE, SIZE}},
    .classes = CLASSES,
    .mean = {0.5, 0.5, 0.5}, /* counted: 0.4994, 0.5007, 0.4995 */
    .deviation = {0.258, 0.258, 0.258},
    .load = load,
};
