import * as z from 'zod';

/** The name of a secret: what stands in `{{secret:KEY}}`. */
export const SecretKey = z
  .string()
  .min(2)
  .max(100)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'Expected capital letters, digits and _, beginning with a letter');
