import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';

export interface QueueMessage<Message> {
  record: SQSRecord;
  message: Message;
}

/** Logs and drops malformed messages: a retry would fail again and block the message group. */
export const parseMessages = <S extends z.ZodType>(
  schema: S,
  { Records }: SQSEvent,
): QueueMessage<z.output<S>>[] =>
  Records.flatMap((record) => {
    const { success, data, error } = schema.safeParse(parseRecord(record));
    if (success) return [{ record, message: data }];
    const { messageId, eventSourceARN: queue } = record;
    const problems = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    log.error('A malformed message was dropped', { messageId, queue, problems });
    return [];
  });

function parseRecord({ body }: SQSRecord): unknown {
  try {
    return parseExact(body);
  } catch {
    return undefined;
  }
}
