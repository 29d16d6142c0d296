import * as z from 'zod';
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
});
export type RunOrigin = z.infer<typeof RunOrigin>;

export type RunLabels = Pick<RunOrigin, 'tags' | 'sessionId'>;

/** The labels in the options of a start, or in a run. */
export const toRunLabels = ({
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
