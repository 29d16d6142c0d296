import * as z from 'zod';
import { wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { feedbackTypes } from '../../shared/domain/conversations/feedback.ts';
import { SessionId } from './schemas.ts';

const metadataCharactersMax = 1_000;

const ratings: Partial<Record<(typeof feedbackTypes)[number], [min: number, max: number]>> = {
  csat: [1, 5],
  nps: [0, 10],
};

export const VisitorFeedbackBody = z
  .object({
    sessionId: SessionId,
    type: z.enum(feedbackTypes),
    messageId: z.string().min(1).max(512).refine(wellFormed, wellFormedOnly).optional(),
    rating: z.number().optional(),
    comment: z.string().max(1_000).refine(wellFormed, wellFormedOnly).optional(),
    metadata: z
      .record(z.string(), z.unknown())
      .refine(
        (metadata) => JSON.stringify(metadata).length <= metadataCharactersMax,
        `The metadata have at most ${metadataCharactersMax} characters of JSON`,
      )
      .optional(),
  })
  .superRefine(({ type, messageId, rating }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    const range = ratings[type];
    if (!range && messageId === undefined) refuse('messageId', `Required for the type ${type}`);
    if (range && messageId !== undefined) refuse('messageId', `Feedback of the type ${type} has no message`);
    if (!range) return rating === undefined ? undefined : refuse('rating', `The type ${type} has no rating`);
    const [min, max] = range;
    if (rating === undefined || rating < min || rating > max)
      refuse('rating', `Expected a number from ${min} to ${max} for the type ${type}`);
  })
  .meta({
    id: 'ClientFeedback',
    examples: [
      {
        sessionId: 'cs_0Zq7sZ5kT1mJ8vB3nX6cL9wR2yH4gF0dS5aQ8uE1iO7pKx3m9Tb2',
        type: 'upvote',
        messageId: 'm2',
      },
    ],
  });

export const StoredFeedback = z
  .object({ success: z.literal(true), feedbackId: z.string(), message: z.string() })
  .meta({
    id: 'StoredClientFeedback',
    examples: [{ success: true, feedbackId: 'feedback_01k9m4v7d3x8qz5w2r6t0y1hbn', message: 'Thank you' }],
  });
