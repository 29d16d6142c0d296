import type { JsonSchema } from '../../ports/model-port.ts';

const lists = ['anyOf', 'prefixItems'];
const maps = ['properties', '$defs', 'definitions'];

/** Keywords that OpenAI's strict structured outputs reject. */
const unsupported = [
  'allOf',
  'oneOf',
  'not',
  'if',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
];

/** Each object lists all properties as required and allows no others: OpenAI's rules, the tightest. */
export function isStrictSchema(schema: JsonSchema): boolean {
  if (unsupported.some((keyword) => keyword in schema)) return false;
  if (schema.properties || [schema.type].flat().includes('object')) {
    const { properties = {}, required = [], additionalProperties } = schema;
    const names = Object.keys(properties as object);
    if (additionalProperties !== false || !Array.isArray(required)) return false;
    if (names.some((name) => !required.includes(name))) return false;
  }
  const nested = [
    schema.items,
    ...lists.flatMap((keyword) => schema[keyword] ?? []),
    ...maps.flatMap((keyword) => Object.values((schema[keyword] ?? {}) as object)),
  ];
  return nested.every((each) => !each || typeof each !== 'object' || isStrictSchema(each as JsonSchema));
}
