import * as z from 'zod';
import { schemaSizeProblem } from '../../../adapters/json-schema/limits.ts';

/** A JSON Schema in a config. Whether it is valid is checked with the flow's texts, in the sandbox. */
export const JsonSchemaText = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const message = schemaSizeProblem(schema)?.message;
  if (message) context.addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, message });
});
