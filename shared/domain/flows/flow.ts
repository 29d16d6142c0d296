import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import { versionedFields, versionFields } from '../../platform/data/version-kind.ts';

/** A flow with the steps that its editor shows: those of the draft, or of the published version when there is none. */
export const Flow = z.object({
  ...versionedFields,
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  description: z.string().nullable(),
  steps: PayloadRef,
  stepCount: z.int(),
  /** The keys of the secrets that `steps` name, and those of what is published. */
  secretKeys: z.array(z.string()).optional(),
  publishedSecretKeys: z.array(z.string()).optional(),
  createdAt: z.string(),
  lastRunAt: z.string().nullable(),
});
export type Flow = z.infer<typeof Flow>;

/** A version that no longer changes. A draft has no item of its own: the flow holds it. */
export const FlowVersion = z.object({
  ...versionFields,
  flowId: z.string(),
  steps: PayloadRef,
  stepCount: z.int(),
  secretKeys: z.array(z.string()).optional(),
  stepSummary: z.string().nullable(),
});
export type FlowVersion = z.infer<typeof FlowVersion>;

export const flowsPartition = tenantPartition('FLOWS');
const flowPartition = (id: string) => tenantPartition(`FLOW#${id}`);
/** The flow itself and its versions. */
export const flowKeysRange = (id: string) => ({ partition: flowPartition(id) });
export const versionsPartition = (flowId: string) => tenantPartition(`FLOW#${flowId}#VERSIONS`);

/** Finds a version, or the flow whose draft it is, by the version's id alone. */
export const anyVersionPartition = tenantPartition('VERSIONS');

export const flowEntity = defineEntity({
  type: 'flow',
  schema: Flow,
  key: ({ id }: { id: string }) => ({ PK: flowPartition(id), SK: 'FLOW' }),
  index: ({ id, draft }) => ({
    PK1: flowsPartition,
    SK1: id,
    ...(draft && { PK2: anyVersionPartition, SK2: draft.id }),
  }),
  summary: ['name', 'search', 'createdAt', 'updatedAt', 'lastRunAt'],
});

export const flowVersionEntity = defineEntity({
  type: 'flowVersion',
  schema: FlowVersion,
  key: ({ flowId, id }: { flowId: string; id: string }) => ({
    PK: flowPartition(flowId),
    SK: `VERSION#${id}`,
  }),
  index: ({ flowId, id }) => ({
    PK1: versionsPartition(flowId),
    SK1: id,
    PK2: anyVersionPartition,
    SK2: id,
  }),
  summary: ['number', 'type', 'stepCount', 'stepSummary', 'label', 'notes', 'createdAt'],
});
