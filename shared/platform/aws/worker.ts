import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type * as z from 'zod';
import { runInvocation } from '../../core/invocation.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';

// Invocations may run side by side in a process (D294). What a process keeps is safe for it because
// - log fields, metrics, ends of invocations and spans are in `AsyncLocalStorage`; what outlives an invocation logs outside of it;
// - group commits, early deletes, permits, loaded jobs, the signal and the time left belong to one invocation; accounts of
//   models and budgets to one `Scope`, which each invocation makes for itself;
// - leases and places are in the table, each with a holder of its own; a lease is over when its invocation must be, whether or not
//   the process lives on, and fences off what runs longer;
// - hour marks are by tenant and hour, a shard of usage only spreads writes, secrets to redact are a union, and what Liquid
//   counts is counted within one synchronous call;
// - threads of the sandbox are shared fairly by tenant, as on the embedded stack;
// - nothing on AWS writes `process.env` or temporary files.

/** Its log lines state the worker and the request id. Its metrics are written when it ends. */
export const toWorker =
  <Args extends unknown[], Result>(worker: string, handle: (...args: Args) => Promise<Result>) =>
  (...args: Args): Promise<Result> => {
    const { awsRequestId: requestId } = (args[1] ?? {}) as { awsRequestId?: string };
    return runInvocation({ worker, requestId }, () => handle(...args));
  };

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
