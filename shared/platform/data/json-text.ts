import * as z from 'zod';
import { parseExact } from '../../core/json/exact-json.ts';

/** A value that an item holds as JSON text. Not checked when it is read: it was when it was written. */
export const jsonText = <T>() => z.string().transform((text): T => parseExact(text) as T);
