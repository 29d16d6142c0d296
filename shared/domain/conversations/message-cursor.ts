import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import type { Conversation } from './conversation.ts';

const Cursor = z.strictObject({ generation: z.string(), number: z.int().min(0).max(99_999_999) });

export const encodeCursor = ({ generation }: Conversation, number: number) =>
  Buffer.from(JSON.stringify({ generation, number })).toString('base64url');

/** The number of the message next to the page. @throws 400 */
export function decodeCursor({ generation }: Conversation, cursor: string, path = 'messagesCursor'): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const { data } = z
    .string()
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue('Expected JSON');
        return z.NEVER;
      }
    })
    .pipe(Cursor)
    .safeParse(text);
  if (data?.generation === generation) return data.number;
  throw invalidAt(
    path,
    'INVALID_CURSOR',
    'Not a cursor of this conversation, or its messages were replaced since. Omit the cursor to start again',
  );
}
