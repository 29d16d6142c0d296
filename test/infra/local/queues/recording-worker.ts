import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** One invocation, as the worker saw it. */
export interface Invocation {
  event: SQSEvent;
  remainingMs: number;
}

/** What the test tells the worker to do with an event. */
export const worker: {
  answer: (event: SQSEvent) => Promise<SQSBatchResponse | undefined>;
  seen: Invocation[];
} = {
  answer: async () => undefined,
  seen: [],
};

export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse | undefined> {
  worker.seen.push({ event, remainingMs: context.getRemainingTimeInMillis() });
  return worker.answer(event);
}
