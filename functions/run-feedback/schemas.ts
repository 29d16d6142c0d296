import * as z from 'zod';
import { definedOf } from '../../shared/core/defined.ts';
import { idOf } from '../../shared/core/ids.ts';
import { wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { feedbackSources, type RunFeedback } from '../../shared/domain/feedback/run-feedback.ts';
import { runKinds } from '../../shared/domain/runs/run.ts';
import { CursorPagination } from '../../shared/platform/data/lists/pages.ts';
import { Moment, wholeNumber } from '../../shared/platform/data/lists/query-values.ts';

export const expectedBytesMax = 65_536;

export const FeedbackParams = z.object({ id: idOf('feedback') });

const text = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).refine(wellFormed, wellFormedOnly);

const Rating = z.union([z.literal(-1), z.literal(0), z.literal(1)]);

export const FeedbackBody = z
  .strictObject({
    recordId: idOf('record').optional().meta({ description: 'Which record of a batch it is about' }),
    stepId: text(255).optional(),
    turn: z.int().min(1).max(10_000).optional().meta({ description: 'Of an agent, from 1 on' }),
    rating: Rating.optional(),
    score: z.number().min(0).max(1).optional(),
    label: text(64).optional(),
    comment: text(4_000).optional(),
    expected: z
      .unknown()
      .refine(
        (value) => value === undefined || Buffer.byteLength(JSON.stringify(value)) <= expectedBytesMax,
        `At most ${expectedBytesMax} bytes of JSON`,
      )
      .optional()
      .meta({ description: `What the run should have said: any JSON up to ${expectedBytesMax} bytes` }),
  })
  .superRefine(({ rating, score, expected }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (rating !== undefined && score !== undefined) refuse('score', 'Give either rating or score');
    if (rating === undefined && score === undefined && expected === undefined)
      refuse('rating', 'Give rating or score, or expected');
  })
  .meta({
    id: 'NewRunFeedback',
    examples: [{ rating: -1, label: 'wrong-language', comment: 'Asked in Dutch', expected: 'Dag!' }],
  });

export const FeedbackQuery = z.object({
  limit: wholeNumber(1, 100).default(20).meta({ description: '1 to 100, default 20' }),
  cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
});

export const AllFeedbackQuery = FeedbackQuery.extend({
  flowId: idOf('flow').optional(),
  agentId: idOf('agent').optional(),
  rating: z.enum(['-1', '0', '1']).transform(Number).optional(),
  from: Moment.optional().meta({ description: 'When it was given, at the earliest' }),
  to: Moment.optional(),
});

const Feedback = z
  .object({
    id: z.string(),
    runId: z.string().nullable().meta({
      description: 'Null for that of a visitor on a conversation, or on a message that no known run answered',
    }),
    kind: z.enum(runKinds),
    flowId: z.string().nullable(),
    agentId: z.string().nullable(),
    toolId: z.string().nullable(),
    recordId: z.string().nullable(),
    stepId: z.string().nullable(),
    turn: z.int().nullable(),
    rating: Rating.nullable(),
    score: z.number().nullable(),
    label: z.string().nullable(),
    comment: z.string().nullable(),
    expected: z.unknown().optional().meta({ description: 'Absent if none was given' }),
    source: z.enum(feedbackSources).meta({ description: 'A visitor of a chat, a session, or an API key' }),
    userId: z.string().nullable(),
    apiKeyId: z.string().nullable(),
    conversationId: z.string().nullable(),
    messageId: z.string().nullable(),
    createdAt: z.string(),
  })
  .meta({ id: 'RunFeedback' });

export const FeedbackList = z
  .object({
    data: z.array(Feedback),
    pagination: CursorPagination.pick({ nextCursor: true, hasMore: true, limit: true }).meta({
      id: 'FeedbackPagination',
    }),
  })
  .meta({
    id: 'RunFeedbackList',
    examples: [
      {
        data: [
          {
            id: 'feedback_01k9m4v7d3x8qz5w2r6t0y1hbn',
            runId: 'exec_01k9m4v7d3x8qz5w2r6t0y1hbn',
            kind: 'agent',
            flowId: null,
            agentId: 'agent_01k9m4v7d3x8qz5w2r6t0y1hbn',
            toolId: null,
            recordId: null,
            stepId: null,
            turn: 2,
            rating: -1,
            score: null,
            label: 'wrong-language',
            comment: 'Asked in Dutch',
            expected: 'Dag!',
            source: 'key',
            userId: 'ada',
            apiKeyId: 'key_01k9m4v7d3x8qz5w2r6t0y1hbn',
            conversationId: null,
            messageId: null,
            createdAt: '2026-11-26T08:00:00.000Z',
          },
        ],
        pagination: { nextCursor: null, hasMore: false, limit: 20 },
      },
    ],
  });

const members = [
  ...(['runId', 'flowId', 'agentId', 'toolId', 'recordId', 'stepId', 'turn', 'rating', 'score'] as const),
  ...(['label', 'comment', 'userId', 'apiKeyId', 'conversationId', 'messageId'] as const),
];

type Given = Pick<RunFeedback, 'id' | 'kind' | 'source' | 'createdAt'>;

/** Members that do not apply are null. */
export const shownFeedback = ({ ttl: _ttl, ...feedback }: RunFeedback): z.input<typeof Feedback> => ({
  ...(Object.fromEntries(members.map((name) => [name, null])) as Record<(typeof members)[number], null>),
  ...(definedOf(feedback) as Given),
});
