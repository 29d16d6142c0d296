import type { WarningCode } from '../../../../../shared/core/warnings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { isObject } from '../../../ui/values/schema.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** The members of a span that have places of their own in its panel, in their order. */
const contents: readonly (readonly [title: string, ...names: string[]])[] = [
  [sharedTexts.instructions, 'gen_ai.system_instructions'],
  [sharedTexts.input, 'gen_ai.input.messages', 'gen_ai.tool.call.arguments'],
  [sharedTexts.output, 'gen_ai.output.messages', 'gen_ai.tool.call.result', 'flow.step.output'],
];
const used = new Set([...contents.flatMap(([, ...names]) => names), 'error.message', 'error.type']);

export interface SpanContent {
  title: string;
  value: unknown;
}

/** What went into a span and what came out of it, as far as the trace has it. */
export const spanContents = (attributes: Attributes): SpanContent[] =>
  contents.flatMap(([title, ...names]) =>
    names
      .filter((name) => attributes[name] !== undefined)
      .map((name) => ({ title, value: attributes[name] })),
  );

/** The attributes without a place of their own. */
export const otherAttributes = (attributes: Attributes): [string, unknown][] =>
  Object.entries(attributes).filter(([name]) => !used.has(name));

/** What went otherwise than asked in a span. The words are there with its content only. */
export const shownWarnings = ({ events }: { events: readonly { attributes: Attributes }[] }) =>
  events.map(({ attributes }) => {
    const message = attributes['warning.message'];
    return {
      code: String(attributes['warning.code']) as WarningCode,
      count: Number(attributes['warning.count']),
      ...(typeof message === 'string' && { message }),
    };
  });

export interface SpanMessagePart {
  type: string;
  content?: unknown;
}
export interface SpanMessage {
  role: string;
  parts: SpanMessagePart[];
}

const isPart = (value: unknown): value is SpanMessagePart =>
  isObject(value) && typeof value.type === 'string';

/** Messages of a model as the conventions of OpenTelemetry have them, or undefined for another value. */
export function spanMessages(value: unknown): SpanMessage[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (value.every(isPart)) return [{ role: 'system', parts: value }];
  const isMessage = (each: unknown): each is SpanMessage =>
    isObject(each) && typeof each.role === 'string' && Array.isArray(each.parts) && each.parts.every(isPart);
  return value.every(isMessage) ? value : undefined;
}

/** The messages that a run was given, if it was given nothing else. */
export function messagesGiven(input: unknown): SpanMessage[] | undefined {
  if (!isObject(input) || Object.keys(input).join() !== 'messages' || !Array.isArray(input.messages))
    return undefined;
  const isGiven = (each: unknown): each is { role: string; content: string } =>
    isObject(each) && typeof each.role === 'string' && typeof each.content === 'string';
  if (input.messages.length === 0 || !input.messages.every(isGiven)) return undefined;
  return input.messages.map(({ role, content }) => ({ role, parts: [{ type: 'text', content }] }));
}

const numberOf = (attributes: Attributes, name: string) =>
  typeof attributes[name] === 'number' ? attributes[name] : undefined;

/** What a call of a model took. */
export const spanUsage = (attributes: Attributes) => ({
  input: numberOf(attributes, 'gen_ai.usage.input_tokens'),
  output: numberOf(attributes, 'gen_ai.usage.output_tokens'),
  cached: numberOf(attributes, 'gen_ai.usage.cache_read.input_tokens'),
  reasoning: numberOf(attributes, 'gen_ai.usage.reasoning.output_tokens'),
  firstTokenMs: (numberOf(attributes, 'gen_ai.response.time_to_first_chunk') ?? Number.NaN) * 1_000,
});
