import { serverSentEvent } from '../../../platform/http/responses/server-sent-events.ts';
import type { AnswerEvent } from '../answers/answer.ts';
import { openItems, type UnnumberedEvent } from './response-events.ts';
import { endedResponse } from './response-object.ts';
import type { OpenAiResponse } from './response-schemas.ts';

/** Writes an answer as the events of a response. */
export function responseWriter(opened: OpenAiResponse) {
  const items = openItems(opened);
  let number = 0;
  const line = (event: UnnumberedEvent) =>
    serverSentEvent({ event: event.type, data: { ...event, sequence_number: number++ } });
  let hasBegun = false;
  const beginning = (): string => {
    if (hasBegun) return '';
    hasBegun = true;
    return ['response.created', 'response.in_progress']
      .map((type) => line({ type, response: opened }))
      .join('');
  };
  return {
    text(event: AnswerEvent): string {
      const lines = [beginning(), ...[...items.add(event)].map(line)];
      if (event.type === 'end') {
        const response = endedResponse(opened, items.output(), event);
        lines.push(line({ type: `response.${response.status}`, response }));
      }
      return lines.join('');
    },
    failure: (failed: object): string => {
      const { error } = failed as { error: object };
      return line({ ...error, type: 'error' });
    },
  };
}
