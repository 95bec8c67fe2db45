/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging: the sum of sparse messages as a message again, made of real bytes by the method's own
 * codecs, for exchanges that sum on the way (gTop-k, SparCML, Ok-Topk).
 *
 * A merged message has the frame of message.h under a fingerprint of its own; each unit in it is
 * written as sparse.h says, units that are sent dense too (all their elements, in fp32), so that it
 * can be cut anywhere. Its support is the union of what was summed, elements that cancel included.
 * Where that is shorter all elements are listed, zeros too: SparCML's switch to dense, which a
 * bitmap of index = "auto" leaves little to gain by.
 *
 *     egc_merger_open         what an encoder wrote, as a message that can be merged
 *     egc_merger_sum, keep, cut, in whatever order the exchange says
 *     egc_merger_join         what came of it, as the one message that egc_decoder_decode takes
 *
 * Encoders and decoders of such a run have the same egc_coder_config.merge. Under a rule that
 * drops elements a worker's memory lets go, at egc_encoder_finish, only of what it sent and the
 * joined message still lists. A contribution that was dropped on the way although others brought
 * its element into the result is lost, as in gTop-k's paper; in Ok-Topk, which sums before it
 * drops, none is. */
#ifndef EGC_COMPRESSORS_CORE_MERGER_H
#define EGC_COMPRESSORS_CORE_MERGER_H

#include "compressors/core/coder.h"

typedef struct egc_merger egc_merger;

/* UNSUPPORTED, with the remedy, when messages of this method can not be merged by this rule. The
 * message starts with the method's name. */
egc_status egc_merger_check(const egc_method *method, egc_merge_rule rule,
                            egc_error *err) EGC_MUST_CHECK;

/* Of messages of units [first, first + count), by config->merge. egc_merger_check found nothing.
 * One serves all workers that call it in turn: it keeps only what all of them know. MEMORY. */
egc_status egc_merger_new(const egc_coder_config *config, size_t first, size_t count,
                          egc_merger **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_merger_free(egc_merger *merger);

/* Each appends one message to out, which is none of the others. FORMAT for anything that was not
 * made for these units; MEMORY. */

/* What an encoder wrote in its only round, as a message that can be merged. */
egc_status egc_merger_open(egc_merger *merger, const egc_buf *message, egc_buf *out,
                           egc_error *err) EGC_MUST_CHECK;

/* a + b. NONFINITE when a sum is too large for the method's values. */
egc_status egc_merger_sum(egc_merger *merger, const egc_buf *a, const egc_buf *b, egc_buf *out,
                          egc_error *err) EGC_MUST_CHECK;

/* What the rule keeps of it, without zeros; of units that are sent dense, all. LARGEST: of each
 * unit the k largest, k from the method's density at `step`. ABOVE: what is at least as large as
 * the threshold, or all where the threshold is about to be made anew: see egc_merger_join. */
egc_status egc_merger_keep(egc_merger *merger, uint64_t step, const egc_buf *message, egc_buf *out,
                           egc_error *err) EGC_MUST_CHECK;

/* The part-th of `parts` ranges of the units' elements: of equal length or, by the rule ABOVE and
 * with as many parts as workers, equally full when the threshold was last made. */
egc_status egc_merger_cut(egc_merger *merger, const egc_buf *message, int part, int parts,
                          egc_buf *out, egc_error *err) EGC_MUST_CHECK;

/* Messages of parts that follow each other, or one of all, as one. By the rule ABOVE, at the first
 * call and after every 32 steps, these are the whole sum: the threshold of each unit becomes the
 * k-th largest of its magnitudes, the ranges of parts are made equally full, and what is below the
 * threshold is left out. (Ok-Topk's paper gathers values to find the threshold and then elements
 * by it: here one gathering does for both.) To be called once a step. */
egc_status egc_merger_join(egc_merger *merger, uint64_t step, const egc_buf *parts, size_t n_parts,
                           egc_buf *out, egc_error *err) EGC_MUST_CHECK;

#endif
