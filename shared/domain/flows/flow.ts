import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import { PayloadRef } from '../../platform/data/payloads.ts';
import { versionedFields, versionFields } from '../../platform/data/versions/version-kind.ts';

/** A flow with the steps that its editor shows: those of the draft, or of the published version if there is no draft. */
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
  /** The keys of the secrets that `steps` references, and those of the published version. */
  secretKeys: z.array(z.string()).optional(),
  publishedSecretKeys: z.array(z.string()).optional(),
  createdAt: z.string(),
  lastRunAt: z.string().nullable(),
});
export type Flow = z.infer<typeof Flow>;

/** An immutable version. A draft has no item of its own: it is part of the flow. */
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
export const flowKeysRange = (id: string) => ({ partition: flowPartition(id) });
export const versionsPartition = (flowId: string) => tenantPartition(`FLOW#${flowId}#VERSIONS`);

/** Finds a version, or the flow with that draft, by the version's id. */
export const anyVersionPartition = tenantPartition('VERSIONS');

export const flowEntity = defineEntity({
  type: 'flow',
  noun: 'flow',
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
