import { z } from 'zod';
import { defineEntity } from '../data/entity.ts';

/** A step as it is stored and answered. Its config has been checked against its type when it was saved. */
export const StoredStep = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  order: z.int(),
  enabled: z.boolean(),
  when: z.string().optional(),
  config: z.record(z.string(), z.unknown()),
});

/** A flow with the steps that its editor shows: those of the draft, or of the published version when there is none. */
export const Flow = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  search: z.string(),
  description: z.string().nullable(),
  steps: z.array(StoredStep),
  /** The unpublished version that `steps` make up. */
  draft: z.object({ id: z.string(), createdAt: z.string() }).nullable(),
  publishedVersionId: z.string().nullable(),
  /** The number that the last version got. */
  lastVersionNumber: z.int(),
  /** Counts the changes, so that two writers cannot overwrite each other unseen. */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastRunAt: z.string().nullable(),
});
export type Flow = z.infer<typeof Flow>;

export const flowsPartition = (tenant: string) => `T#${tenant}#FLOWS`;
export const flowPartition = (tenant: string, id: string) => `T#${tenant}#FLOW#${id}`;

export const flowEntity = defineEntity({
  type: 'flow',
  schema: Flow,
  key: (tenant, { id }: { id: string }) => ({ PK: flowPartition(tenant, id), SK: 'FLOW' }),
  index: (tenant, { id }) => ({ PK1: flowsPartition(tenant), SK1: id }),
  summary: ['name', 'search', 'createdAt', 'updatedAt', 'lastRunAt'],
});
