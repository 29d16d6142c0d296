import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { runKinds } from '../runs/run.ts';

export const feedbackSources = ['client', 'user', 'key'] as const;

export const ratings = [-1, 0, 1] as const;
export const expectedRating = `Expected ${ratings.slice(0, -1).join(', ')} or ${ratings.at(-1)}`;

export const Rating = z.literal(ratings, expectedRating).meta({ type: 'integer' });

/** What somebody thinks of a run or of a part of it. */
export const RunFeedback = z.object({
  id: z.string(),
  /** Absent if a visitor's is about a conversation, or a message that no known run answered. */
  runId: z.string().optional(),
  /** Of the run: whose permission it takes. */
  kind: z.enum(runKinds),
  flowId: z.string().optional(),
  agentId: z.string().optional(),
  toolId: z.string().optional(),
  recordId: z.string().optional(),
  stepId: z.string().optional(),
  turn: z.int().optional(),
  rating: Rating.optional(),
  score: z.number().optional(),
  label: z.string().optional(),
  comment: z.string().optional(),
  /** What the run should have said. JSON text, since `null` is a value too. */
  expected: jsonText<unknown>().optional(),
  source: z.enum(feedbackSources),
  userId: z.string().optional(),
  apiKeyId: z.string().optional(),
  /** Of a visitor's, which the conversation has too. */
  conversationId: z.string().optional(),
  messageId: z.string().optional(),
  createdAt: z.string(),
  /** That of the run, or of the conversation. */
  ttl: z.int().optional(),
});
export type RunFeedback = z.infer<typeof RunFeedback>;

const feedbackPartition = tenantPartition('RUNFEEDBACK');
export const allFeedbackPartition = tenantPartition('RUNFEEDBACK#ALL');
export const feedbackOfRunPartition = (runId: string) => tenantPartition(`RUNFEEDBACK#${runId}`);

export const runFeedbackEntity = defineEntity({
  type: 'runFeedback',
  schema: RunFeedback,
  key: ({ id }: { id: string }) => ({ PK: feedbackPartition, SK: id }),
  index: ({ id, runId }) => ({
    ...(runId && { PK1: feedbackOfRunPartition(runId), SK1: id }),
    PK2: allFeedbackPartition,
    SK2: id,
  }),
  summary: ['kind', 'flowId', 'agentId', 'toolId', 'rating'],
});
