/**
 * What a run waits for, as it is stored with the run: an approval, or a callback.
 * A wait is written before the run suspends, and closed in the transaction that keeps its answer, so that it is answered
 * once. `wait-store.ts` writes it, `inbox-wait.ts` is its entry in the tenant's list, `wait-link.ts` the address in messages.
 */
import * as z from 'zod';
import { webhookFormats } from '../../adapters/messages/webhook-formats.ts';
import type { WaitAnswer } from '../../adapters/ports/waits-port.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';

const waitKinds = ['approval', 'callback'] as const;

/** What a run waits for that somebody or something else gives: an answer to a question, or a request to an address. */
export const RunWait = z.object({
  runId: z.string(),
  path: z.string(),
  stepId: z.string(),
  stepName: z.string(),
  stepPath: z.string(),
  /** The item of the innermost map around the step, as text. */
  itemKey: z.string().nullable(),
  kind: z.enum(waitKinds),
  flowId: z.string().nullable(),
  flowName: z.string().nullable(),
  recordId: z.string().nullable(),
  /** The batch whose record it is, and the run that is listed. */
  batchId: z.string().nullable(),
  listedId: z.string(),
  since: z.string(),
  expiresAt: z.string(),
  question: z.string().optional(),
  details: z.string().optional(),
  choices: z.array(z.string()).optional(),
  /** A JSON Schema for the values. */
  form: jsonText<Record<string, unknown>>().optional(),
  /** Its entry in the inbox. Missing in what an earlier release opened. */
  inboxId: z.string().optional(),
  /** Where its question goes beside the addresses of its links. */
  webhookUrl: z.string().optional(),
  webhookFormat: z.enum(webhookFormats).optional(),
  /** The hashes of the tokens of its links. */
  links: z.array(z.string()),
  /** Of a callback. Whoever may continue the run sees it. */
  callbackUrl: z.string().optional(),
  /** Whether what makes the address known has been sent. */
  isAnnounced: z.literal(true).optional(),
  answer: jsonText<WaitAnswer>().optional(),
  /** How the run goes on, once it is suspended: a message of its batch. */
  resume: jsonText<object>().optional(),
  /** Expiry in Unix seconds, some days after the time. */
  ttl: z.int(),
});
export type RunWait = z.infer<typeof RunWait>;

/** Of a run. */
export const waitsPartition = (runId: string) => tenantPartition(`WAITS#${runId}`);
/** The open ones of a tenant by the listed run, an index. */
export const openWaitsPartition = tenantPartition('WAITS#OPEN');

export type WaitKey = Pick<RunWait, 'runId' | 'path'>;

export const runWaitEntity = defineEntity({
  type: 'runWait',
  schema: RunWait,
  key: ({ runId, path }: WaitKey) => ({ PK: waitsPartition(runId), SK: path }),
  index: ({ listedId, runId, path, answer }) =>
    answer === undefined ? { PK1: openWaitsPartition, SK1: `${listedId}#${runId}#${path}` } : {},
});

/** As the API shows it. */
export const WaitView = z
  .object({
    runId: z.string().meta({ description: 'The run that waits; of a batch, that of a record' }),
    recordId: z.string().nullable(),
    stepId: z.string(),
    stepName: z.string(),
    stepPath: z.string().meta({ description: 'With the steps around it: `each[3]/ask`' }),
    itemKey: z.string().nullable().meta({ description: 'The item of the innermost map around the step' }),
    kind: z.enum(waitKinds),
    question: z.string().nullable(),
    details: z.string().nullable(),
    choices: z.array(z.string()).nullable(),
    form: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'A JSON Schema for the values of the answer' }),
    callbackUrl: z.string().nullable().meta({
      description:
        'Of a callback: where it is awaited. Whoever has it continues the run, so it is null without FLOWS:EXECUTE',
    }),
    since: z.string(),
    expiresAt: z.string(),
  })
  .meta({ id: 'RunWait' });
export type WaitView = z.infer<typeof WaitView>;

export const waitView = (wait: RunWait, { mayContinue }: { mayContinue: boolean }): WaitView => ({
  runId: wait.runId,
  recordId: wait.recordId,
  stepId: wait.stepId,
  stepName: wait.stepName,
  stepPath: wait.stepPath,
  itemKey: wait.itemKey,
  kind: wait.kind,
  question: wait.question ?? null,
  details: wait.details ?? null,
  choices: wait.choices ?? null,
  form: wait.form ?? null,
  callbackUrl: (mayContinue && wait.callbackUrl) || null,
  since: wait.since,
  expiresAt: wait.expiresAt,
});

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

/** Whether a run waits for a person. A callback is no question: another system sends it. */
export async function hasOpenQuestion(table: TenantTable, runId: string): Promise<boolean> {
  const items = await table.queryAll({ partition: waitsPartition(runId), consistent: true });
  return items
    .map((item) => decode(runWaitEntity, item))
    .some(({ kind, answer }) => kind === 'approval' && answer === undefined);
}
