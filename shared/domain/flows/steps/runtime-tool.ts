import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { JsonSchemaText } from './json-schema-text.ts';

/** A tool that exists in one agent or one step only. */
export const RuntimeTool = z.strictObject({
  name: nameUpTo(100),
  description: z.string().max(4_000),
  toolType: z.enum(['flow', 'custom', 'external', 'local', 'advisor', 'subagent', 'search']),
  parametersSchema: JsonSchemaText,
  config: z.record(z.string(), z.unknown()),
});
export type RuntimeTool = z.infer<typeof RuntimeTool>;
