import * as z from 'zod';
import { PlainErrorHandling } from './error-handling.ts';

/** The variables that every run has. A step may not take their place. */
const builtIns = ['_record', '_flow', '_execution', '_user', '_agent'];
const unusable = new Set([...builtIns, '__proto__', 'constructor', 'prototype', 'variables']);

export const VariableName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z_$][\w$-]*$/, 'A variable name has letters, digits, _, $ and -, and begins with no digit')
  .refine((name) => !unusable.has(name), 'This name is taken');

/** Names a variable, or something inside one: `company` or `answer.companies[0]`. */
export const VariablePath = z
  .string()
  .max(255)
  .regex(/^[A-Za-z_$][\w$-]*(\.[\w$-]+|\[\d+\])*$/, 'Expected a variable, or a path like answer.items[0]');

export const outputVariable = VariableName.optional().meta({
  description: 'The variable that takes the output',
});

/** What a step without a model takes beside its own members. */
export const commonConfig = { outputVariable, errorHandling: PlainErrorHandling.optional() };
