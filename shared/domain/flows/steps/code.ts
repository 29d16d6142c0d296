import * as z from 'zod';

const scriptCharactersMax = 100_000;

/** A script. Its syntax is checked with the flow. */
export const Script = z.string().min(1).max(scriptCharactersMax);

/** A JavaScript expression over the variables. Its syntax is checked with the flow. */
export const Expression = z
  .string()
  .max(scriptCharactersMax)
  .superRefine((code, context) => {
    if (code.trim() !== '') return;
    const message = 'Expected an expression';
    context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, message });
  });
