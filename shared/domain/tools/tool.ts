import * as z from 'zod';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';

const Json = z.record(z.string(), z.unknown());

/** A tool that a tenant defined. Its config was validated against its type. */
export const Tool = z.object({
  id: z.string(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  name: z.string(),
  /** The name in lower case, for the substring search of lists. */
  search: z.string(),
  description: z.string(),
  toolType: z.string(),
  parametersSchema: Json,
  config: Json,
  secretKeys: z.array(z.string()),
  isActive: z.boolean(),
  /** Incremented by each write, for optimistic locking. */
  revision: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type Tool = z.infer<typeof Tool>;

export const toolsPartition = tenantPartition('TOOLS');
export const toolTypePartition = (toolType: string) => tenantPartition(`TOOLS#${toolType}`);

/** Free-form values are stored as JSON text, as those of records. */
export const toolEntity = defineEntity({
  type: 'tool',
  noun: 'tool',
  schema: Tool.extend({
    parametersSchema: jsonText<unknown>().pipe(Json),
    config: jsonText<unknown>().pipe(Json),
  }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`TOOL#${id}`), SK: 'TOOL' }),
  index: ({ id, toolType }) => ({
    PK1: toolsPartition,
    SK1: id,
    PK2: toolTypePartition(toolType),
    SK2: id,
  }),
  summary: ['name', 'search', 'description', 'toolType', 'isActive', 'createdAt', 'updatedAt'],
});
