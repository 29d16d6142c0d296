import * as z from 'zod';

/** The key of a secret: `KEY` in `{{secret:KEY}}`. */
export const SecretKey = z
  .string()
  .min(2)
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'Expected capital letters, digits and _, starting with a letter');
