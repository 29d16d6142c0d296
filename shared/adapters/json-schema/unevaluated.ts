import type { Ajv, ErrorObject, SchemaValidateFunction, ValidateFunction } from 'ajv';
import type { JsonSchema } from '../ports/model-port.ts';
import { referencesIn } from './references.ts';

/*
 * `unevaluatedItems` and `unevaluatedProperties` as in JSON Schema 2020-12, in place of Ajv's, which takes all items for
 * evaluated behind `contains`, and mistakes `if` without `then` and branches of `anyOf`. A keyword asks which items or
 * properties the keywords beside it evaluate: it walks its schema and what is applied in place (`allOf`, `$ref`, the
 * branches that accept the value …), and has Ajv judge the branches. It may assume that the value fits the rest of the
 * schema, since otherwise it is refused anyway. A `$dynamicRef` counts as one to the schema beside it.
 */

type Kind = 'items' | 'properties';
type Evaluated = Set<string>;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const schemasIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const membersOf = (value: unknown) => (isObject(value) ? Object.entries(value) : []);
const keysOf = (value: unknown) => Object.keys(Object(value));

const documentId = 'https://schemas.invalid/document';

/** Compiles a document whose schemas have one of these keywords. The Ajv must be new. */
export function compileWithUnevaluated(ajv: Ajv, document: JsonSchema): ValidateFunction {
  const evaluator = evaluatorOf(ajv, document);
  for (const kind of ['items', 'properties'] as const) {
    const keyword = kind === 'items' ? 'unevaluatedItems' : 'unevaluatedProperties';
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: kind === 'items' ? 'array' : 'object',
      schemaType: ['boolean', 'object'],
      validate: checkOf(kind, keyword, evaluator),
    });
  }
  ajv.addSchema(document, documentId);
  const validate = ajv.getSchema(documentId);
  if (!validate) throw new Error('it has no schema');
  return validate as ValidateFunction;
}

interface Evaluator {
  evaluated(kind: Kind, schema: JsonSchema, value: unknown, without: string): Evaluated;
  /** What is wrong with a value by a schema of the document. */
  problems(schema: JsonSchema, value: unknown): readonly ErrorObject[];
}

function checkOf(kind: Kind, keyword: string, { evaluated, problems }: Evaluator): SchemaValidateFunction {
  const check: SchemaValidateFunction = (schema, value, parent: JsonSchema = {}, at) => {
    const known = evaluated(kind, parent, value, keyword);
    const errors = keysOf(value)
      .filter((key) => !known.has(key))
      .flatMap((key): Partial<ErrorObject>[] => {
        if (schema === true) return [];
        const above = at?.instancePath ?? '';
        const instancePath = `${above}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const place = { instancePath: kind === 'items' ? instancePath : above };
        if (schema === false) {
          const message = kind === 'items' ? 'is an item that the schema does not describe' : undefined;
          return [{ ...place, keyword, params: { unevaluatedProperty: key }, ...(message && { message }) }];
        }
        const found = problems(schema, (value as Record<string, unknown>)[key]);
        return found.map((error) => ({ ...error, instancePath: `${instancePath}${error.instancePath}` }));
      });
    check.errors = errors;
    return errors.length === 0;
  };
  return check;
}

function evaluatorOf(ajv: Ajv, document: JsonSchema): Evaluator {
  const { targetOf, pointerTo } = referencesIn(document);
  const compiled = new Map<JsonSchema, ValidateFunction>();

  function problems(schema: JsonSchema, value: unknown): readonly ErrorObject[] {
    const known = compiled.get(schema);
    const validate = known ?? ajv.compile({ $ref: `${documentId}#${pointerTo(schema)}` });
    compiled.set(schema, validate);
    return validate(value) ? [] : [...(validate.errors ?? [])];
  }
  const accepts = (schema: unknown, value: unknown) =>
    isObject(schema) ? problems(schema, value).length === 0 : schema !== false;

  /** Those that are applied to the value itself, and accept it. */
  function* inPlace(schema: JsonSchema, value: unknown): Generator<unknown, void> {
    for (const reference of [schema.$ref, schema.$dynamicRef]) {
      if (typeof reference === 'string') yield targetOf(reference, schema)?.schema;
    }
    yield* schemasIn(schema.allOf);
    for (const branch of [...schemasIn(schema.anyOf), ...schemasIn(schema.oneOf)]) {
      if (accepts(branch, value)) yield branch;
    }
    if (schema.if !== undefined) {
      const holds = accepts(schema.if, value);
      yield* holds ? [schema.if, schema.then] : [schema.else];
    }
    for (const [name, dependent] of membersOf(schema.dependentSchemas)) {
      if (isObject(value) && Object.hasOwn(value, name)) yield dependent;
    }
  }

  function* ownOf(kind: Kind, schema: JsonSchema, value: unknown, without: string): Generator<string, void> {
    const isGiven = (...keywords: string[]) =>
      keywords.some((keyword) => keyword !== without && schema[keyword] !== undefined);
    const keys = keysOf(value);
    if (kind === 'items') {
      const isWhole = isGiven('items', 'unevaluatedItems');
      const prefix = schemasIn(schema.prefixItems).length;
      yield* isWhole ? keys : keys.slice(0, prefix);
      if (isWhole || schema.contains === undefined) return;
      yield* keys.filter((key) => accepts(schema.contains, (value as unknown[])[Number(key)]));
      return;
    }
    if (isGiven('additionalProperties', 'unevaluatedProperties')) yield* keys;
    const patterns = keysOf(schema.patternProperties).map((pattern) => new RegExp(pattern, 'u'));
    const isNamed = (key: string) => isObject(schema.properties) && Object.hasOwn(schema.properties, key);
    yield* keys.filter((key) => isNamed(key) || patterns.some((pattern) => pattern.test(key)));
  }

  function evaluated(kind: Kind, schema: JsonSchema, value: unknown, without: string): Evaluated {
    const keys: Evaluated = new Set();
    const seen = new Set<unknown>();
    const visit = (part: unknown, except: string) => {
      if (!isObject(part) || seen.has(part)) return;
      seen.add(part);
      for (const key of ownOf(kind, part, value, except)) keys.add(key);
      for (const applied of inPlace(part, value)) visit(applied, '');
    };
    visit(schema, without);
    return keys;
  }

  return { evaluated, problems };
}
