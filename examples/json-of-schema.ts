import { type ChatRequest, requestMessageText } from './model-stand-in.ts';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
}

const mark = 'It must fit this JSON Schema: ';

/** The JSON Schema that the service asks the model to keep to, if it does. */
export function schemaAskedFor({ messages }: Pick<ChatRequest, 'messages'>): Schema | undefined {
  const text = messages.map(requestMessageText).find((each) => each.includes(mark));
  const after = text?.slice(text.indexOf(mark) + mark.length) ?? '';
  for (let end = after.indexOf('}'); end !== -1; end = after.indexOf('}', end + 1)) {
    try {
      return JSON.parse(after.slice(0, end + 1));
    } catch {
      // The schema ends at a later brace.
    }
  }
  return undefined;
}

/** A value that fits a simple schema: the first of an enum, a list of one. @param text In the place of each text */
export function fittingValue(schema: Schema, text: string): unknown {
  if ('const' in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  const type = [schema.type].flat()[0] ?? (schema.properties ? 'object' : 'string');
  if (type === 'object') {
    const members = Object.entries(schema.properties ?? {});
    return Object.fromEntries(members.map(([name, member]) => [name, fittingValue(member, text)]));
  }
  if (type === 'array') return [fittingValue(schema.items ?? {}, text)];
  return { number: 1, integer: 1, boolean: true, null: null }[type] ?? text;
}
