import * as z from 'zod';

/** Rejects lone surrogates, which the table stores only within JSON. */
export const wellFormed = (text: string) => text.isWellFormed();
export const wellFormedOnly = 'Expected well-formed Unicode';

/** A display name: storable Unicode, not only blanks. */
export const nameUpTo = (charactersMax: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(charactersMax)
    .refine((text) => text.trim() !== '', {
      params: { code: 'INVALID_FORMAT' },
      message: 'Expected a name that is not blank',
    })
    .refine(wellFormed, wellFormedOnly);
