import type { JsonSchema } from '../../../adapters/ports/model-port.ts';
import type { RunnableTool } from '../call-tool.ts';

const levelsMax = 6;
const charactersMax = 2_000;

/** The tools as TypeScript, for a model that writes code. */
export const toolSignatures = (tools: readonly Pick<RunnableTool, 'name' | 'description' | 'parameters'>[]) =>
  `declare const tools: {\n${tools.map(signatureOf).join('\n')}\n};`;

function signatureOf({
  name,
  description,
  parameters,
}: Pick<RunnableTool, 'name' | 'description' | 'parameters'>) {
  const type = typeOf(parameters, 0);
  const args = type.length <= charactersMax ? type : 'Record<string, unknown>';
  return `  /** ${inComment(description)} */\n  ${memberName(name)}(args: ${args}): Promise<any>;`;
}

function typeOf(schema: unknown, level: number): string {
  if (typeof schema !== 'object' || schema === null || level > levelsMax) return 'unknown';
  const { type, enum: values, const: value, anyOf, oneOf, properties, items } = schema as JsonSchema;
  if (value !== undefined) return literal(value);
  if (Array.isArray(values)) return unionOf(values.map(literal));
  const options = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (options) return unionOf(options.map((option) => typeOf(option, level + 1)));
  if (Array.isArray(type)) return unionOf(type.map((each) => typeOf({ ...schema, type: each }, level + 1)));
  if (type === 'object' || (type === undefined && properties)) return objectOf(schema as JsonSchema, level);
  if (type === 'array') return `Array<${typeOf(items, level + 1)}>`;
  return typeof type === 'string' ? (plainTypes[type] ?? 'unknown') : 'unknown';
}

const plainTypes: Partial<Record<string, string>> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
};

function objectOf({ properties, required }: JsonSchema, level: number): string {
  const members = Object.entries((properties ?? {}) as Record<string, unknown>);
  if (members.length === 0) return 'Record<string, unknown>';
  const needed = new Set(Array.isArray(required) ? required : []);
  const memberTexts = members.map(([name, schema]) => {
    const { description } = (schema ?? {}) as { description?: unknown };
    const comment = typeof description === 'string' ? `/** ${inComment(description)} */ ` : '';
    return `${comment}${memberName(name)}${needed.has(name) ? '' : '?'}: ${typeOf(schema, level + 1)}`;
  });
  return `{ ${memberTexts.join('; ')} }`;
}

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ') || 'unknown';
const literal = (value: unknown) => JSON.stringify(value) ?? 'unknown';
const memberName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));
/** On one line, and without an end of the comment. */
const inComment = (text: string) => text.replace(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 500).trim();
