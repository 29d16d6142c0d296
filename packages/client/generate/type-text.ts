/** The part of JSON Schema from which types follow. */
export interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: readonly Schema[];
  format?: string;
  description?: string;
  contentSchema?: Schema;
}

export const refName = ($ref: string) => $ref.split('/').at(-1) ?? '';

/** A JSON Schema as a TypeScript type. */
export function schemaTypeText(schema: Schema): string {
  const { $ref, anyOf, oneOf, enum: values, type } = schema;
  if ($ref !== undefined) return refName($ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values) return unionText(values.map((value) => JSON.stringify(value)));
  const variants = anyOf ?? oneOf;
  if (variants) return unionText(variants.map(schemaTypeText));
  if (Array.isArray(type)) return unionText(type.map((each) => schemaTypeText({ ...schema, type: each })));
  return textOfType(schema, type as string | undefined);
}

function textOfType(schema: Schema, type: string | undefined): string {
  switch (type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'integer':
      return 'number';
    case 'array':
      return schema.prefixItems
        ? `[${schema.prefixItems.map(schemaTypeText).join(', ')}]`
        : `${bracketed(schemaTypeText(schema.items ?? {}))}[]`;
    case 'object':
      return objectText(schema);
    default:
      return type ?? 'unknown';
  }
}

const unionText = (texts: readonly string[]): string => [...new Set(texts)].join(' | ');

export const bracketed = (text: string) => (/ [|&] /.test(text) ? `(${text})` : text);

const nameText = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function objectText({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties).map(([name, schema]) =>
    memberText(name, schema, { isRequired: required.includes(name) }),
  );
  const others = otherMembers(additionalProperties);
  if (members.length === 0) return others ?? '{ [name: string]: never }';
  const inputMembers = `{\n${members.join('\n')}\n}`;
  return others ? `${inputMembers} & ${others}` : inputMembers;
}

function otherMembers(additional: Schema['additionalProperties']): string | undefined {
  if (additional === undefined || additional === false) return undefined;
  return `{ [name: string]: ${additional === true ? 'unknown' : schemaTypeText(additional)} }`;
}

/** A member of an interface. Optional ones may be undefined, as JSON omits them then. */
export function memberText(
  name: string,
  schema: Schema,
  { isRequired, type = schemaTypeText(schema) }: { isRequired: boolean; type?: string },
): string {
  const text = isRequired ? `: ${type}` : `?: ${type} | undefined`;
  return `${commentText(schema.description)}${nameText(name)}${text};`;
}

export const commentText = (text: string | undefined): string =>
  text ? `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', '\n * ')} */\n` : '';
