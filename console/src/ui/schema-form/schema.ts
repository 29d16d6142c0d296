/** The parts of JSON Schema that the API's document uses. */
export interface JsonSchema {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  oneOf?: readonly JsonSchema[];
  anyOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  description?: string;
  title?: string;
  default?: unknown;
  example?: unknown;
  format?: string;
  writeOnly?: boolean;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  $ref?: string;
  $defs?: Readonly<Record<string, JsonSchema>>;
}

export type JsonObject = Record<string, unknown>;
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema that a `$ref` names in `$defs` of the root, with the description beside it. */
export function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  const target = root.$defs?.[$ref.replace('#/$defs/', '')] ?? {};
  return { ...resolved(target, root), ...beside };
}

/** How a value is edited. */
export type Field =
  | { kind: 'const'; value: unknown }
  | { kind: 'choice'; values: readonly string[] }
  | { kind: 'text'; isLong: boolean; isSecret: boolean }
  | { kind: 'number'; isWhole: boolean }
  | { kind: 'yes-no' }
  | { kind: 'object'; schema: JsonSchema }
  | { kind: 'list'; items: JsonSchema }
  | { kind: 'variants'; variants: readonly JsonSchema[] }
  /** Anything else, as JSON. */
  | { kind: 'json' };

/** From so many characters on, a text has several lines. */
const longText = 500;

export function fieldOf(given: JsonSchema, root: JsonSchema): Field {
  const schema = withoutNull(given, root);
  const { type, enum: values, oneOf, anyOf, properties, items } = schema;
  if ('const' in schema) return { kind: 'const', value: schema.const };
  if (values?.every((each) => typeof each === 'string'))
    return { kind: 'choice', values: values as string[] };
  const variants = (oneOf ?? anyOf)
    ?.map((each) => resolved(each, root))
    .filter((each) => each.type !== 'null');
  if (variants?.length) return unionOf(variants);
  const [name = ''] = [type].flat().filter((each) => each !== 'null');
  if (name === 'string')
    return {
      kind: 'text',
      isLong: (schema.maxLength ?? 0) > longText && schema.format === undefined,
      isSecret: schema.format === 'password',
    };
  if (name === 'number' || name === 'integer') return { kind: 'number', isWhole: name === 'integer' };
  if (name === 'boolean') return { kind: 'yes-no' };
  if (name === 'array' && items) return { kind: 'list', items: resolved(items, root) };
  if (name === 'object' && properties) return { kind: 'object', schema };
  return { kind: 'json' };
}

function unionOf(variants: readonly JsonSchema[]): Field {
  const consts = variants.map((each) => each.const);
  if (consts.every((each) => typeof each === 'string')) return { kind: 'choice', values: consts as string[] };
  return { kind: 'variants', variants };
}

/** Whether a value may be left out by `null`. */
export const allowsNull = ({ type, anyOf, oneOf }: JsonSchema): boolean =>
  [type].flat().includes('null') || Boolean((anyOf ?? oneOf)?.some((each) => each.type === 'null'));

/** The schema of the value that is not null, if there is but one. */
export function withoutNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { oneOf, anyOf, ...beside } = schema;
  const [only, ...others] = (oneOf ?? anyOf ?? []).filter((each) => each.type !== 'null');
  return only && others.length === 0 ? { ...resolved(only, root), ...beside } : schema;
}

/** `recordConcurrency` as `Record concurrency`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .split(' ')
    .map((word) => (/^[A-Z0-9]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  const known = words.replace(/\b(id|ids|url|api|json|ttl|mcp|http|pdf)\b/g, (word) =>
    word === 'ids' ? 'IDs' : word.toUpperCase(),
  );
  return known.charAt(0).toUpperCase() + known.slice(1);
}

/** The value that a field begins with: what its variant is, its default, or what is required. */
export function initialOf(schema: JsonSchema, root: JsonSchema): unknown {
  const whole = resolved(schema, root);
  if (whole.default !== undefined && !isEmptyObject(whole.default)) return whole.default;
  const field = fieldOf(whole, root);
  if (field.kind === 'const') return field.value;
  if (field.kind === 'choice') return field.values[0];
  if (field.kind === 'list') return [];
  if (field.kind === 'yes-no') return false;
  if (field.kind === 'variants') return initialOf(field.variants[0] ?? {}, root);
  if (field.kind !== 'object') return undefined;
  const { required = [], properties = {} } = field.schema;
  const members = required.map((name) => [name, initialOf(properties[name] ?? {}, root)] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

const isEmptyObject = (value: unknown) => isObject(value) && Object.keys(value).length === 0;

/** Which of some variants a value is: the one whose constants it has, else the one of its type. */
export function variantOf(value: unknown, variants: readonly JsonSchema[]): number {
  const byConstants = variants.findIndex(
    ({ properties = {} }) =>
      isObject(value) &&
      Object.values(properties).some((each) => 'const' in each) &&
      Object.entries(properties).every(([name, each]) => !('const' in each) || value[name] === each.const),
  );
  if (byConstants >= 0) return byConstants;
  const byType = variants.findIndex((variant) => [variant.type].flat().includes(typeOf(value)));
  return Math.max(0, byType);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** What to call a variant: its constant, or its type. */
export function variantLabel({ title, properties = {}, type }: JsonSchema): string {
  if (title) return title;
  const constant = Object.values(properties).find((each) => typeof each.const === 'string')?.const;
  if (typeof constant === 'string') return labelOf(constant);
  const names: Record<string, string> = {
    object: 'Details',
    array: 'A list',
    string: 'Text',
    boolean: 'Yes or no',
  };
  const [name = ''] = [type].flat();
  return names[String(name)] ?? labelOf(String(name || 'value'));
}

/** Whether the API keeps it only for older clients. */
export const isAlias = ({ description = '' }: JsonSchema) => /^An? alias of/i.test(description);
