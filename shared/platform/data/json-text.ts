import * as z from 'zod';

/** A value that an item holds as JSON text. Not checked when it is read: it was when it was written. */
export const jsonText = <T>() => z.string().transform((text): T => JSON.parse(text) as T);
