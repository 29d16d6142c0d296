interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
}

/** Renders a JSON Schema as a one-line TypeScript type, which people read faster than a schema. */
export function typeText(schema: JsonSchema): string {
  const { anyOf, oneOf, properties, items, type, additionalProperties } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const variants = anyOf ?? oneOf;
  if (variants) return variants.map(typeText).join(' | ');
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') return `${bracketed(items ?? {})}[]`;
  if (type !== 'object') return type ?? 'any';
  if (properties && Object.keys(properties).length > 0) return membersText(properties, schema.required ?? []);
  return typeof additionalProperties === 'object' ? `map of ${bracketed(additionalProperties)}` : 'object';
}

function membersText(properties: Record<string, JsonSchema>, required: readonly string[]): string {
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(member)}`,
  );
  return `{ ${members.join('; ')} }`;
}

const bracketed = (schema: JsonSchema) => {
  const text = typeText(schema);
  return text.includes(' | ') ? `(${text})` : text;
};
