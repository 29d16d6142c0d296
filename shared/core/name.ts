import * as z from 'zod';

/** Without half a surrogate pair, which the table does not take but within JSON. */
export const wellFormed = (text: string) => text.isWellFormed();
export const wellFormedOnly = 'Expected well-formed Unicode';

/** What people call a thing: not only blanks, and Unicode that can be stored. */
export const nameUpTo = (charactersMax: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(charactersMax)
    .refine((text) => text.trim() !== '', {
      params: { code: 'INVALID_FORMAT' },
      message: 'Expected a name, and not only blanks',
    })
    .refine(wellFormed, wellFormedOnly);
