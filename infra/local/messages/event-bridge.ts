import * as z from 'zod';
import type { LocalOutbox } from './outbox.ts';
import { RejectedRequest } from './rejected-request.ts';

const bytesMax = 256 * 1024;
const Entry = z.object({
  Source: z.string().optional(),
  DetailType: z.string().optional(),
  Detail: z.string().optional(),
  EventBusName: z.string().optional(),
  Resources: z.array(z.string()).optional(),
  Time: z.number().optional(),
});
type Entry = z.infer<typeof Entry>;
const Entries = z.object({ Entries: z.array(Entry).min(1).max(10) });

/** PutEvents of EventBridge (AWS JSON 1.1). A successful response reports rejected entries. */
export function putEvents(outbox: LocalOutbox, target: string, sent: string): object {
  if (target !== 'AWSEvents.PutEvents') {
    throw new RejectedRequest(
      'UnknownOperationException',
      `This stand-in does not implement the operation: ${target}`,
    );
  }
  const { Entries: entries } = Entries.parse(JSON.parse(sent));
  const bytes = entries.reduce((sum, { Source = '', DetailType = '', Detail = '' }) => {
    return sum + Buffer.byteLength(Source + DetailType + Detail);
  }, 0);
  if (bytes > bytesMax) {
    throw new RejectedRequest(
      'ValidationException',
      'Total size of the entries in the request is over the limit.',
    );
  }
  const answers = entries.map((entry) => put(outbox, entry));
  return { FailedEntryCount: answers.filter((answer) => 'ErrorCode' in answer).length, Entries: answers };
}

function put(outbox: LocalOutbox, { Source, DetailType, Detail, EventBusName = 'default' }: Entry): object {
  for (const [name, value] of Object.entries({ Source, DetailType, Detail })) {
    if (value) continue;
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: 'InvalidArgument', ErrorMessage };
  }
  if ((DetailType ?? '').length > 128) {
    const ErrorMessage = 'Parameter DetailType is not valid. Reason: longer than 128 characters.';
    return { ErrorCode: 'InvalidArgument', ErrorMessage };
  }
  const detail = objectIn(Detail ?? '');
  if (!detail) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  return {
    EventId: outbox.keep('event', { bus: EventBusName, source: Source, detailType: DetailType, detail }),
  };
}

function objectIn(json: string): object | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
