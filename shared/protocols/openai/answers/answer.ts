import type { ModelEvent, ModelUsage } from '../../../adapters/ports/model-port.ts';

/** What somebody answers, whoever it is: a model, an agent or a flow. The last event is the end. */
export type AnswerEvent =
  | Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' | 'tool-call-delta' | 'tool-call' }>
  /** The answer begins. */
  | { type: 'start' }
  | AnswerEnd;

export interface AnswerEnd {
  type: 'end';
  stopReason: 'stop' | 'length' | 'tool-calls' | 'content-filter';
  usage: ModelUsage | null;
}

/** An answer that begins when its events are read, once. @throws ServiceError while they are read */
export interface OpenaiAnswer {
  runId: string;
  /** Who answers, as responses name it. */
  model: string;
  startedAt: Date;
  events: (signal: AbortSignal) => AsyncIterable<AnswerEvent>;
}

export interface WholeAnswer extends AnswerEnd {
  text: string;
  reasoning: string;
  toolCalls: Extract<AnswerEvent, { type: 'tool-call' }>[];
}

/** Reads an answer to its end. */
export async function wholeAnswer(events: AsyncIterable<AnswerEvent>): Promise<WholeAnswer> {
  const answer = { text: '', reasoning: '', toolCalls: [] as WholeAnswer['toolCalls'] };
  let end: AnswerEnd | undefined;
  for await (const event of events) {
    if (event.type === 'text-delta') answer.text += event.text;
    else if (event.type === 'reasoning-delta') answer.reasoning += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'end') end = event;
  }
  if (!end) throw new Error('The events of an answer ended without an end');
  return { ...answer, ...end };
}
