import type { AnswerEvent } from '../answers/streamed-answer.ts';
import type { OpenAiResponse, OutputItem, OutputText } from './response-schemas.ts';

/** An event without its number. */
export interface UnnumberedEvent {
  type: string;
  [member: string]: unknown;
}

type OpenItem = { index: number; item: OutputItem };

const outputText = (text: string): OutputText => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
});

/** Makes the items of a response from the events of an answer, with what a stream says of each. */
export function openItems(opened: OpenAiResponse) {
  const output: OutputItem[] = [];
  const calls = new Map<string, OpenItem>();
  /** The text or the reasoning that is being written. */
  let current: OpenItem | undefined;
  const suffix = opened.id.slice(-26);
  const toPosition = ({ index, item }: OpenItem) => ({ item_id: item.id, output_index: index });

  function* begin(item: OutputItem): Generator<UnnumberedEvent, OpenItem> {
    const begun = { index: output.push(item) - 1, item };
    yield { type: 'response.output_item.added', output_index: begun.index, item: { ...item } };
    return begun;
  }

  function* finish(open: OpenItem): Generator<UnnumberedEvent> {
    open.item.status = 'completed';
    output[open.index] = open.item;
    yield { type: 'response.output_item.done', output_index: open.index, item: { ...open.item } };
  }

  function* endCurrent(): Generator<UnnumberedEvent> {
    if (!current) return;
    const open = current;
    const place = toPosition(open);
    current = undefined;
    if (open.item.type === 'message') {
      const [part = outputText('')] = open.item.content;
      const { text } = part;
      yield { type: 'response.output_text.done', ...place, content_index: 0, text, logprobs: [] };
      yield { type: 'response.content_part.done', ...place, content_index: 0, part };
    } else if (open.item.type === 'reasoning') {
      const [part] = open.item.summary;
      yield {
        type: 'response.reasoning_summary_text.done',
        ...place,
        summary_index: 0,
        text: part?.text ?? '',
      };
      yield { type: 'response.reasoning_summary_part.done', ...place, summary_index: 0, part };
    }
    yield* finish(open);
  }

  function* addText(delta: string): Generator<UnnumberedEvent> {
    if (current?.item.type !== 'message') {
      yield* endCurrent();
      const id = `msg_${suffix}_${output.length}`;
      current = yield* begin({ type: 'message', id, status: 'in_progress', role: 'assistant', content: [] });
      yield {
        type: 'response.content_part.added',
        ...toPosition(current),
        content_index: 0,
        part: outputText(''),
      };
    }
    const { item } = current;
    if (item.type !== 'message') return;
    item.content = [outputText((item.content[0]?.text ?? '') + delta)];
    yield {
      type: 'response.output_text.delta',
      ...toPosition(current),
      content_index: 0,
      delta,
      logprobs: [],
    };
  }

  function* addReasoning(delta: string): Generator<UnnumberedEvent> {
    if (current?.item.type !== 'reasoning') {
      yield* endCurrent();
      current = yield* begin({
        type: 'reasoning',
        id: `rs_${suffix}_${output.length}`,
        status: 'in_progress',
        summary: [],
      });
      const part = { type: 'summary_text', text: '' };
      yield { type: 'response.reasoning_summary_part.added', ...toPosition(current), summary_index: 0, part };
    }
    const { item } = current;
    if (item.type !== 'reasoning') return;
    item.summary = [{ type: 'summary_text', text: (item.summary[0]?.text ?? '') + delta }];
    yield { type: 'response.reasoning_summary_text.delta', ...toPosition(current), summary_index: 0, delta };
  }

  function* openCall(call_id: string, name: string): Generator<UnnumberedEvent, OpenItem> {
    const existing = calls.get(call_id);
    if (existing) return existing;
    yield* endCurrent();
    const id = `fc_${suffix}_${output.length}`;
    const open = yield* begin({
      type: 'function_call',
      id,
      status: 'in_progress',
      call_id,
      name,
      arguments: '',
    });
    calls.set(call_id, open);
    return open;
  }

  return {
    output: (): OutputItem[] => output,

    *add(event: AnswerEvent): Generator<UnnumberedEvent> {
      if (event.type === 'text-delta' && event.text !== '') yield* addText(event.text);
      else if (event.type === 'reasoning-delta' && event.text !== '') yield* addReasoning(event.text);
      else if (event.type === 'tool-call-delta') {
        const open = yield* openCall(event.id, event.name);
        const { text: delta } = event;
        if (delta !== '')
          yield { type: 'response.function_call_arguments.delta', ...toPosition(open), delta };
      } else if (event.type === 'tool-call') {
        const open = yield* openCall(event.id, event.name);
        const { name, text: written } = event;
        Object.assign(open.item, { arguments: written });
        yield {
          type: 'response.function_call_arguments.done',
          ...toPosition(open),
          name,
          arguments: written,
        };
        yield* finish(open);
      } else if (event.type === 'end') yield* endCurrent();
    },
  };
}
