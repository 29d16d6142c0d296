import * as z from 'zod';
import { schemaSizeProblem } from '../../../adapters/json-schema/limits.ts';
import { nameUpTo } from '../../../core/name.ts';
import { PlainErrorHandling } from './error-handling.ts';
import { Template } from './template-text.ts';

/** The variables of every run. A step may not set them, nor `_loop`. */
export const builtInVariables = ['_record', '_flow', '_execution', '_user', '_visitor', '_agent'];
const unusable = new Set([
  ...builtInVariables,
  '_loop',
  '__proto__',
  'constructor',
  'prototype',
  'variables',
]);

export const VariableName = z
  .string()
  .max(64)
  .regex(
    /^[A-Za-z_$][\w$-]*$/,
    'A variable name contains letters, digits, _, $ and -, and does not begin with a digit',
  )
  .refine((name) => !unusable.has(name), 'This name is reserved; choose another');

/** Names a variable or a value inside one: `company` or `answer.companies[0]`. */
export const VariablePath = z
  .string()
  .max(255)
  .regex(/^[A-Za-z_$][\w$-]*(\.[\w$-]+|\[\d+\])*$/, 'Expected a variable, or a path like answer.items[0]');

export const outputVariable = VariableName.optional().meta({
  description: 'The variable that takes the output',
});

export const commonConfig = { outputVariable, errorHandling: PlainErrorHandling.optional() };

/** A JSON Schema in a config. Whether it is valid is checked with the flow's texts, in the sandbox. */
export const JsonSchemaText = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const message = schemaSizeProblem(schema)?.message;
  if (message) context.addIssue({ code: 'custom', params: { code: 'INVALID_VALUE' }, message });
});

export const memoryConfig = {
  profileTemplate: Template.min(1).optional().meta({
    description:
      'The name of the profile whose memory it is, of up to 255 characters. Default: `{{_user.id}}`, the user of the run, who is the visitor in a chat, and the key on another surface',
  }),
  sessionId: Template.min(1).optional().meta({
    description: 'A session of the profile, such as a conversation. Default: all sessions',
  }),
  outputVariable,
};

export const MemoryModel = nameUpTo(255).optional().meta({
  description:
    'The model that reads the memories: the id of a model config, `default`, a model of the catalog, or `<provider>/<modelId>`. Default: `default`',
});

export const defaultValue = z.unknown().optional().meta({
  description: 'The output if there is no memory. Default: an empty text',
});
