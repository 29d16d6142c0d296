import * as z from 'zod';
import type { WaitAnswer } from '../../adapters/ports/waits-port.ts';
import type { RunWait } from './run-wait.ts';

export const AnswerBody = z.strictObject({
  choice: z.string().min(1).max(100).meta({ description: 'One of the choices of the question' }),
  values: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'What the form of the question asks for' }),
  comment: z.string().max(10_000).optional(),
});

export const RunAnswer = z
  .object({
    runId: z.string(),
    stepId: z.string(),
    itemKey: z.string().nullable(),
    choice: z.string().nullable(),
    values: z.unknown(),
    comment: z.string().nullable(),
    answeredBy: z.string().nullable(),
    answeredAt: z.string(),
  })
  .meta({ id: 'RunAnswer' });

export const toAnswerView = (
  { runId, stepId, itemKey }: RunWait,
  { choice, values, comment, answeredBy, answeredAt }: WaitAnswer,
): z.input<typeof RunAnswer> => ({
  runId,
  stepId,
  itemKey,
  choice,
  values,
  comment,
  answeredBy,
  answeredAt,
});
