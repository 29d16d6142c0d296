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

/** Whether a value may be left out by `null`. */
export const allowsNull = ({ type, anyOf, oneOf }: JsonSchema): boolean =>
  [type].flat().includes('null') || Boolean((anyOf ?? oneOf)?.some((each) => each.type === 'null'));

/** The schema of the value that is not null, if there is but one. */
export function withoutNull(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const { oneOf, anyOf, ...beside } = schema;
  const [only, ...others] = (oneOf ?? anyOf ?? []).filter((each) => each.type !== 'null');
  return only && others.length === 0 ? { ...resolved(only, root), ...beside } : schema;
}

/** Whether the API keeps it only for older clients. */
export const isAlias = ({ description = '' }: JsonSchema) => /^An? alias of/i.test(description);
