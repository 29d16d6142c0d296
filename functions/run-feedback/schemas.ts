import * as z from 'zod';
import { omitUndefined } from '../../shared/core/defined.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import {
  expectedRating,
  feedbackSources,
  Rating,
  type RunFeedback,
  ratings,
} from '../../shared/domain/feedback/run-feedback.ts';
import { runKinds } from '../../shared/domain/runs/run.ts';
import { CursorPagination } from '../../shared/platform/data/lists/pages.ts';
import {
  checkRange,
  Moment,
  oneOfNumbers,
  wholeNumber,
} from '../../shared/platform/data/lists/query-values.ts';

export const expectedBytesMax = 65_536;

export const FeedbackParams = z.object({ id: resourceId('feedback') });

const text = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).refine(wellFormed, wellFormedOnly);

/** Six decimals: DynamoDB refuses numbers nearer to 0 than 1e-130. */
const rounded = (score: number) => Math.round(score * 1e6) / 1e6;

const places = {
  recordId: 'The record that it is about: one of a batch, or that of a flow. 400 for other runs',
  stepId: 'The step of a flow or a batch that it is about. 400 for other runs',
  turn: 'The turn of an agent that it is about, from 1 on. 400 for other runs',
};

export const RunFeedbackBody = z
  .strictObject({
    recordId: resourceId('record').optional().meta({ description: places.recordId }),
    stepId: text(255).optional().meta({ description: places.stepId }),
    turn: z.int().min(1).max(10_000).optional().meta({ description: places.turn }),
    rating: Rating.optional().meta({ description: '-1 is bad, 0 neutral, 1 good' }),
    score: z
      .number()
      .min(0)
      .max(1)
      .overwrite(rounded)
      .optional()
      .meta({ description: 'Instead of a rating. Rounded to six decimals' }),
    label: text(64).optional().meta({ description: 'A category of yours' }),
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
    id: 'RunFeedbackInput',
    examples: [{ rating: -1, label: 'wrong-language', comment: 'Asked in Dutch', expected: 'Dag!' }],
  });

export const FeedbackQuery = z.object({
  limit: wholeNumber(1, 100).default(20).meta({ description: '1 to 100, default 20' }),
  cursor: z.string().optional().meta({ description: 'The nextCursor of an earlier response' }),
});

export const AllFeedbackQuery = FeedbackQuery.extend({
  flowId: resourceId('flow').optional(),
  agentId: resourceId('agent').optional(),
  rating: oneOfNumbers(ratings, expectedRating)
    .optional()
    .meta({ description: 'Scores do not count as ratings' }),
  from: Moment.optional().meta({ description: 'Given at this time or later' }),
  to: Moment.optional().meta({ description: 'Given at this time or earlier' }),
}).check(checkRange);

const nullable = (description: string) => z.string().nullable().meta({ description });

const Feedback = z
  .object({
    id: z.string(),
    runId: z.string().nullable().meta({
      description: 'Null for that of a visitor on a conversation, or on a message that no known run answered',
    }),
    kind: z.enum(runKinds).meta({ description: 'That of the run, or of what answered the visitor' }),
    flowId: nullable('The flow of the run'),
    agentId: nullable('The agent of the run'),
    toolId: nullable('The tool of the run'),
    recordId: nullable('The record that it is about; null for the run as a whole'),
    stepId: nullable('The step that it is about; null for the run as a whole'),
    turn: z.int().nullable().meta({
      description: 'The turn of the agent that it is about, from 1 on; null for the run as a whole',
    }),
    rating: Rating.nullable().meta({ description: '-1 is bad, 0 neutral, 1 good; null if none was given' }),
    score: z.number().nullable().meta({ description: '0 to 1; null if none was given' }),
    label: nullable('Of a visitor: `csat`, `nps` or `copy`'),
    comment: z.string().nullable(),
    expected: z.unknown().optional().meta({ description: 'Absent if none was given' }),
    source: z.enum(feedbackSources).meta({
      description: '`client`: a visitor of a chat. `user`: a session. `key`: an API key',
    }),
    userId: nullable('Who gave it, or whose API key it was; null for a visitor'),
    apiKeyId: nullable('The API key that gave it'),
    conversationId: nullable('Of a visitor: the conversation'),
    messageId: nullable('Of a visitor: the message; null for the conversation as a whole'),
    createdAt: z.string().meta({ description: 'ISO 8601, in UTC' }),
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
  ...(omitUndefined(feedback) as Given),
});
