/**
 * What started a run, and the labels that callers give it: the trigger, the run around it, tags and session.
 * Origin and labels are decided once, at the start, stored with the run and inherited by the runs inside of it, which
 * have the trigger `run`. A caller with a key of a surface stays unknown.
 * Every start of a run makes its origin with one of the functions here: endpoints, surfaces, schedules, nested runs and
 * recomputations. `labelHeaders` are the same labels for calls whose body another protocol defines (OpenAI, surfaces).
 * Lists of runs filter by both.
 */
import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { RunSurface } from '../surfaces/surface/run-surface.ts';
import { triggerTypes } from './trigger-types.ts';

/** What started a run. Members that do not apply are missing. */
export const RunTrigger = z.object({
  type: z.enum(triggerTypes),
  productId: z.string().optional(),
  surfaceId: z.string().optional(),
  scheduleId: z.string().optional(),
  apiKeyId: z.string().optional(),
  userId: z.string().optional(),
});
export type RunTrigger = z.infer<typeof RunTrigger>;

/** What a run knows from its start, and those inside of it inherit. */
export const RunOrigin = z.object({
  trigger: RunTrigger,
  /** These two: of a run inside of another. */
  parentRunId: z.string().optional(),
  rootRunId: z.string().optional(),
  tags: z.array(z.string()).optional(),
  sessionId: z.string().optional(),
  /** The token of the page whose chat started it. */
  clientTokenId: z.string().optional(),
  /** The run that it repeats. */
  retryOf: z.string().optional(),
});
export type RunOrigin = z.infer<typeof RunOrigin>;

export type RunLabels = Pick<RunOrigin, 'tags' | 'sessionId'>;

/** The labels in the options of a start, or in a run. */
const toRunLabels = ({
  tags = [],
  sessionId,
}: {
  [Label in keyof RunLabels]?: RunLabels[Label] | undefined;
}): RunLabels => ({
  ...(tags.length > 0 && { tags: [...new Set(tags)] }),
  ...(sessionId !== undefined && { sessionId }),
});

type Caller = Pick<Principal, 'kind' | 'keyId' | 'userId'>;

/** The key or the user. Callers with a key of a surface are unknown. */
const toCaller = ({ kind, keyId, userId }: Caller): Pick<RunTrigger, 'apiKeyId' | 'userId'> =>
  kind === 'surface' ? {} : { ...(kind === 'key' && keyId && { apiKeyId: keyId }), userId };

/** A run that a call of the API started. */
export const originOfCall = (
  principal: Caller,
  labels: Parameters<typeof toRunLabels>[0] = {},
): RunOrigin => ({
  trigger: {
    type: principal.kind === 'session' ? 'console' : 'api',
    ...toCaller(principal),
  },
  ...toRunLabels(labels),
});

const triggersOfSurfaces: Record<string, RunTrigger['type']> = {
  api: 'surface',
  chat: 'client',
  mcp: 'mcp',
  a2a: 'a2a',
  webhook: 'webhook',
  schedule: 'schedule',
};

/** A run that takes over what did not change since earlier ones. */
export const originOfRecompute = (principal: Caller, labels: RunLabels): RunOrigin => ({
  trigger: { type: 'recompute', ...toCaller(principal) },
  ...toRunLabels(labels),
});

/** A run that a surface started. @param caller If it is known. */
export const originOfSurface = (
  { type, productId, surfaceId }: Pick<RunSurface, 'type' | 'productId' | 'surfaceId'>,
  labels: RunLabels = {},
  caller?: Caller,
): RunOrigin => ({
  trigger: {
    type: triggersOfSurfaces[type] ?? 'surface',
    productId,
    surfaceId,
    ...(caller && toCaller(caller)),
  },
  ...labels,
});

/** The listed run in which others run. */
export interface ParentListing extends RunLabels {
  runId: string;
  rootRunId: string;
}

/** A run inside of another. */
export const originInside = ({ runId, rootRunId, ...labels }: ParentListing): RunOrigin => ({
  trigger: { type: 'run' },
  parentRunId: runId,
  rootRunId,
  ...toRunLabels(labels),
});

/** For the runs inside of this one. */
export const childListing = (runId: string, { rootRunId = runId, ...labels }: RunOrigin): ParentListing => ({
  runId,
  rootRunId,
  ...toRunLabels(labels),
});

const tagsMax = 10;
const tag = /^[A-Za-z0-9_.:-]{1,64}$/;
const tagRule = 'Expected 1 to 64 of A-Z, a-z, 0-9, _ . : -';

const Tag = z.string().regex(tag, tagRule);
const SessionId = z
  .string()
  .min(1)
  .max(128)
  .refine(wellFormed, wellFormedOnly)
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters');

/** Options of every start of a run. */
export const runLabelOptions = {
  tags: z.array(Tag).max(tagsMax).optional().meta({
    description: 'Labels of the run, and of the runs inside of it, to find it by in GET /v1/runs',
  }),
  sessionId: SessionId.optional().meta({
    description: 'What the run belongs to, for example a conversation or a job of yours',
  }),
};

/** The same as headers, for calls whose body another protocol has. */
export const labelHeaders = {
  'X-Run-Tags': z
    .string()
    .optional()
    .meta({
      description: `${runLabelOptions.tags.description}. At most 10, separated by commas`,
      example: 'nightly,import',
    }),
  'X-Session-Id': runLabelOptions.sessionId,
};

const HeaderLabels = z.object(runLabelOptions);

/**
 * The labels in the headers of a call whose body is its parameters: `X-Run-Tags` (separated by commas) and `X-Session-Id`.
 * @throws 400
 */
export function labelsInHeaders(header: (name: string) => string | undefined): RunLabels {
  const tags = header('x-run-tags')
    ?.split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const parsed = HeaderLabels.safeParse({ tags, sessionId: header('x-session-id') });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = issue?.path[0] === 'tags' ? 'X-Run-Tags' : 'X-Session-Id';
    throw invalidAt(name, 'INVALID_VALUE', issue?.message ?? 'Invalid');
  }
  return toRunLabels(parsed.data);
}
