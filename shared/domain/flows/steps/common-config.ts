import * as z from 'zod';
import { PlainErrorHandling } from './error-handling.ts';

/** The variables of every run. A step may not set them. */
export const builtInVariables = ['_record', '_flow', '_execution', '_user', '_visitor', '_agent'];
/** Those, and what counts the passes of a loop. */
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
