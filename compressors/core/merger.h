/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging: the sum of sparse messages as a message again, made of real bytes by the method's own
 * codecs, for exchanges that sum on the way (gTop-k, SparCML, Ok-Topk).
 *
 * A merged message has a frame (frame.h) with a fingerprint of its own; each unit in it is written
 * as in sparse_message.h, units that are sent dense too (all their elements, in fp32), so that it
 * can be cut anywhere. Its support is the union of its terms' supports, elements that cancel
 * included. Where it is shorter, the message lists all elements, zeros too: SparCML's switch to
 * dense. With index = "auto", which may choose a bitmap, little is gained by it.
 *
 *     egc_merger_open         the message of an encoder, converted
 *     egc_merger_sum, keep, cut, in the order of the exchange
 *     egc_merger_join         the result, as the single message that egc_decoder_decode takes
 *
 * Encoders and decoders of such a run have the same egc_coder_config.merge. Under a rule that
 * drops elements, egc_encoder_finish subtracts from a worker's residual only the elements it sent
 * that the joined message lists. A contribution that was dropped on the way is lost if others
 * brought its element into the result, as in gTop-k's paper; Ok-Topk sums before it drops and
 * loses none. */
#ifndef EGC_COMPRESSORS_CORE_MERGER_H
#define EGC_COMPRESSORS_CORE_MERGER_H

#include "compressors/core/coder.h"

typedef struct egc_merger egc_merger;

/* UNSUPPORTED, with the remedy, when messages of this method cannot be merged by this rule. The
 * message starts with the method's name. */
egc_status egc_merger_check(const egc_method *method, egc_merge_rule rule,
                            egc_error *err) EGC_MUST_CHECK;

/* A merger for messages of units [first, first + count), with the rule config->merge, which
 * egc_merger_check accepts. It keeps only state that all workers share, so one merger can serve all
 * of them in turn. MEMORY. */
egc_status egc_merger_new(const egc_coder_config *config, size_t first, size_t count,
                          egc_merger **out, egc_error *err) EGC_MUST_CHECK;

/* Accepts NULL. */
void egc_merger_free(egc_merger *merger);

/* Each appends one message to out, which is none of the others. FORMAT for anything that was not
 * made for these units; MEMORY. */

/* Converts the message of an encoder's only round to a message that can be merged. */
egc_status egc_merger_open(egc_merger *merger, const egc_buf *message, egc_buf *out,
                           egc_error *err) EGC_MUST_CHECK;

/* a + b. NONFINITE when a sum is too large for the method's values. */
egc_status egc_merger_sum(egc_merger *merger, const egc_buf *a, const egc_buf *b, egc_buf *out,
                          egc_error *err) EGC_MUST_CHECK;

/* Drops elements by the rule, and zeros; units sent dense keep all. LARGEST: keeps the k largest of
 * each unit, k from the method's density at `step`. ABOVE: keeps magnitudes at or above the
 * threshold, or all in the steps in which egc_merger_join sets the threshold. */
egc_status egc_merger_keep(egc_merger *merger, uint64_t step, const egc_buf *message, egc_buf *out,
                           egc_error *err) EGC_MUST_CHECK;

/* The part-th of `parts` ranges of the units' elements: of equal length or, by the rule ABOVE and
 * with as many parts as workers, equally full when the threshold was last made. */
egc_status egc_merger_cut(egc_merger *merger, const egc_buf *message, int part, int parts,
                          egc_buf *out, egc_error *err) EGC_MUST_CHECK;

/* Joins messages of consecutive parts, or takes the single message of all. By the rule ABOVE, at
 * the first call and after every 32 steps, they are the complete sum: the threshold of each unit
 * becomes the k-th largest of its magnitudes, parts are cut to contain equally many elements, and
 * elements below the threshold are dropped. (Ok-Topk's paper gathers values to find the threshold
 * and then the elements above it: here one gathering serves both.) Call it once per step. */
egc_status egc_merger_join(egc_merger *merger, uint64_t step, const egc_buf *parts, size_t n_parts,
                           egc_buf *out, egc_error *err) EGC_MUST_CHECK;

#endif
