/**
 * Checks values and schemas by JSON Schema 2020-12, with Ajv where it is exact and keywords of its own where it is not.
 * Runs only in the threads of the sandbox (`tasks.ts`): a schema is code of a tenant, and compiling or applying it may never
 * end. So all work runs under a limit of CPU time; exceeding it is a problem of the value or the schema, not an error.
 * A compiled schema leaves the cache while it is used and returns only if its use ends: an interrupted one would not work
 * again. Each schema has an Ajv of its own, so that none can refer to another by `$id`.
 * `json-schema.ts` is the interface for the rest of the product; `references.ts` and `subschemas.ts` prepare the schema.
 */
import { Script } from 'node:vm';
import type { Ajv, SchemaValidateFunction } from 'ajv';
import {
  _,
  Ajv2020,
  type ErrorObject,
  type FuncKeywordDefinition,
  type ValidateFunction,
} from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createBoundedMap } from '../../core/cache.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { toSortedJson } from '../../core/json/sorted-json.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { checkMsMax, type ValueProblem } from './limits.ts';
import { isWholeMultiple } from './multiple-of.ts';
import { indexReferences, rewriteForAjv } from './references.ts';
import { findRefusedParts, walkSubschemas } from './subschemas.ts';

const problemsMax = 20;
// Names such as `toString` are members only if the value has them itself.
const options = { strict: false, logger: false, allErrors: true, ownProperties: true } as const;

/** Compiling the meta-schema takes longer than most checks. It is not part of their time. */
const metaSchema = loadOnce(() => {
  const ajv = addFormats.default(new Ajv2020(options));
  ajv.validateSchema({});
  return ajv;
});

/** An Ajv of its own for each schema: a schema must not be able to refer to another one by its `$id`. */
function compile(schema: JsonSchema): ValidateFunction {
  const ajv = addFormats.default(new Ajv2020({ ...options, meta: false, validateSchema: false }));
  for (const keyword of exactKeywords) {
    ajv.removeKeyword(keyword.keyword as string);
    ajv.addKeyword(keyword);
  }
  const document = rewriteForAjv(schema);
  const hasUnevaluated = [...walkSubschemas(document)].some(
    ({ schema: part }) => part.unevaluatedItems !== undefined || part.unevaluatedProperties !== undefined,
  );
  return hasUnevaluated ? compileWithUnevaluated(ajv, document) : ajv.compile(document);
}

const isEqual = (one: unknown, other: unknown) => one === other || toSortedJson(one) === toSortedJson(other);

/** In place of Ajv's, which divide doubles, and call `toString` and `valueOf` of objects that have members of these names. */
const exactKeywords: FuncKeywordDefinition[] = [
  {
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    errors: false,
    error: { message: ({ schema }) => `must be multiple of ${schema}` },
    validate: (step: number, value: number) => isWholeMultiple(value, step),
  },
  {
    keyword: 'const',
    errors: false,
    error: {
      message: 'must be equal to constant',
      params: ({ schemaCode }) => _`{allowedValue: ${schemaCode}}`,
    },
    validate: isEqual,
  },
  {
    keyword: 'enum',
    schemaType: 'array',
    errors: false,
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
    validate: (allowed: unknown[], value: unknown) => allowed.some((each) => isEqual(each, value)),
  },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (isUnique: boolean, items: unknown[]) =>
      !isUnique || new Set(items.map(toSortedJson)).size === items.length,
  },
];

const compiled = createBoundedMap<ValidateFunction>({ entriesMax: 200, charactersMax: 2_000_000 });

/** Kept only when its use ends: one that was interrupted while it compiled a part of itself does not work again. */
function use<T>(schema: string, work: (validate: ValidateFunction) => T): T {
  const validate = compiled.get(schema) ?? compile(JSON.parse(schema));
  compiled.delete(schema);
  const result = work(validate);
  compiled.set(schema, validate);
  return result;
}

/** The problems of a value, at most 20. @param schema As JSON text, which is the name of the compiled schema. */
export function validateValue({ schema, value }: { schema: string; value: unknown }): ValueProblem[] {
  return limitTime('The value cannot be checked', () =>
    use(schema, (validate) => (validate(value) ? [] : toProblems(validate.errors))),
  );
}

/** Why a schema is not valid, or cannot be used here. */
export function validateSchema(schema: JsonSchema): ValueProblem[] {
  const ajv = metaSchema();
  return limitTime('The schema cannot be used', () => {
    const refused = findRefusedParts(schema);
    if (refused.length > 0) return refused.slice(0, problemsMax);
    if (!ajv.validateSchema(schema)) return toProblems(ajv.errors);
    return use(JSON.stringify(schema), () => []);
  });
}

function limitTime(what: string, work: () => ValueProblem[]): ValueProblem[] {
  try {
    return runWithTimeout(checkMsMax, work);
  } catch (error) {
    const message =
      error instanceof OutOfTime
        ? `the schema takes more than ${checkMsMax} ms; simplify its patterns, references and conditions`
        : error instanceof RangeError
          ? 'the schema refers to itself without end, or is nested too deeply'
          : (error as Error).message;
    return [{ path: '', message: `${what}: ${message}` }];
  }
}

const toProblems = (errors: ErrorObject[] | null | undefined): ValueProblem[] => {
  const problems = (errors ?? []).map(toProblem);
  const distinct = new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem]));
  return [...distinct.values()].slice(0, problemsMax);
};

type Params = Record<string, unknown>;

function toProblem({ instancePath, keyword, params, message = 'is not valid' }: ErrorObject): ValueProblem {
  const path = instancePath.split('/').slice(1).map(unescapeSegment);
  const [member, text] = special[keyword]?.(params as Params) ?? [undefined, sentence(message)];
  return { path: [...path, ...(member === undefined ? [] : [member])].join('.'), message: text };
}

/** The member that a problem concerns, and its words, where Ajv's are not ours. */
const special: Record<string, (params: Params) => [member: string | undefined, text: string]> = {
  required: ({ missingProperty }) => [String(missingProperty), 'Required'],
  dependentRequired: ({ missingProperty, property }) => [
    String(missingProperty),
    `Required together with ${property}`,
  ],
  additionalProperties: ({ additionalProperty }) => [
    String(additionalProperty),
    'The schema has no such member',
  ],
  unevaluatedProperties: ({ unevaluatedProperty }) => [
    String(unevaluatedProperty),
    'The schema has no such member',
  ],
  type: ({ type }) => [undefined, `Expected ${[type].flat().join(' or ')}`],
  enum: ({ allowedValues }) => [undefined, `Expected one of ${shortJson(allowedValues)}`],
  const: ({ allowedValue }) => [undefined, `Expected ${shortJson(allowedValue)}`],
};

const shortJson = (value: unknown) => {
  const json = JSON.stringify(value);
  return json.length > 300 ? `${json.slice(0, 300)}…` : json;
};
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1, 500)}`;
const unescapeSegment = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~');

class OutOfTime extends Error {}

/** Runs a function in this context. Only a script can be interrupted, also inside a regular expression. */
const name = Symbol.for('agent-flow-service.timed-work');
const script = new Script(`globalThis[Symbol.for(${JSON.stringify(name.description)})]()`);
const globals = globalThis as unknown as Record<symbol, () => unknown>;

/** On a busy machine, little CPU time passes within the time of the clock. So it is tried again with more. */
const attemptsMax = 4;

/** Interrupts work after this CPU time. Call it in a thread of the sandbox only. @throws OutOfTime */
function runWithTimeout<T>(cpuMsMax: number, work: () => T): T {
  globals[name] = work;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const began = cpuMs();
    try {
      return script.runInThisContext({ timeout: cpuMsMax * 2 ** attempt }) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      if (cpuMs() - began > cpuMsMax / 2) break;
    }
  }
  throw new OutOfTime();
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

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
const toSchemas = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const listMembers = (value: unknown) => (isObject(value) ? Object.entries(value) : []);
const listKeys = (value: unknown) => Object.keys(Object(value));

const documentId = 'https://schemas.invalid/document';

/** Compiles a document whose schemas have one of these keywords. The Ajv must be new. */
function compileWithUnevaluated(ajv: Ajv, document: JsonSchema): ValidateFunction {
  const evaluator = createEvaluator(ajv, document);
  for (const kind of ['items', 'properties'] as const) {
    const keyword = kind === 'items' ? 'unevaluatedItems' : 'unevaluatedProperties';
    ajv.removeKeyword(keyword);
    ajv.addKeyword({
      keyword,
      type: kind === 'items' ? 'array' : 'object',
      schemaType: ['boolean', 'object'],
      validate: createCheck(kind, keyword, evaluator),
    });
  }
  ajv.addSchema(document, documentId);
  const validate = ajv.getSchema(documentId);
  if (!validate) throw new Error('it has no schema');
  return validate as ValidateFunction;
}

interface Evaluator {
  findEvaluated(kind: Kind, schema: JsonSchema, value: unknown, without: string): Evaluated;
  /** What is wrong with a value by a schema of the document. */
  problems(schema: JsonSchema, value: unknown): readonly ErrorObject[];
}

function createCheck(
  kind: Kind,
  keyword: string,
  { findEvaluated, problems }: Evaluator,
): SchemaValidateFunction {
  const check: SchemaValidateFunction = (schema, value, parent: JsonSchema = {}, at) => {
    const evaluatedKeys = findEvaluated(kind, parent, value, keyword);
    const errors = listKeys(value)
      .filter((key) => !evaluatedKeys.has(key))
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

function createEvaluator(ajv: Ajv, document: JsonSchema): Evaluator {
  const { resolveReference, getPointer } = indexReferences(document);
  const compiled = new Map<JsonSchema, ValidateFunction>();

  function problems(schema: JsonSchema, value: unknown): readonly ErrorObject[] {
    const cached = compiled.get(schema);
    const validate = cached ?? ajv.compile({ $ref: `${documentId}#${getPointer(schema)}` });
    compiled.set(schema, validate);
    return validate(value) ? [] : [...(validate.errors ?? [])];
  }
  const accepts = (schema: unknown, value: unknown) =>
    isObject(schema) ? problems(schema, value).length === 0 : schema !== false;

  /** Those that are applied to the value itself, and accept it. */
  function* listAppliedSchemas(schema: JsonSchema, value: unknown): Generator<unknown, void> {
    for (const reference of [schema.$ref, schema.$dynamicRef]) {
      if (typeof reference === 'string') yield resolveReference(reference, schema)?.schema;
    }
    yield* toSchemas(schema.allOf);
    for (const branch of [...toSchemas(schema.anyOf), ...toSchemas(schema.oneOf)]) {
      if (accepts(branch, value)) yield branch;
    }
    if (schema.if !== undefined) {
      const holds = accepts(schema.if, value);
      yield* holds ? [schema.if, schema.then] : [schema.else];
    }
    for (const [name, dependent] of listMembers(schema.dependentSchemas)) {
      if (isObject(value) && Object.hasOwn(value, name)) yield dependent;
    }
  }

  function* findDirectKeys(
    kind: Kind,
    schema: JsonSchema,
    value: unknown,
    without: string,
  ): Generator<string, void> {
    const isGiven = (...keywords: string[]) =>
      keywords.some((keyword) => keyword !== without && schema[keyword] !== undefined);
    const keys = listKeys(value);
    if (kind === 'items') {
      const isWhole = isGiven('items', 'unevaluatedItems');
      const prefix = toSchemas(schema.prefixItems).length;
      yield* isWhole ? keys : keys.slice(0, prefix);
      if (isWhole || schema.contains === undefined) return;
      yield* keys.filter((key) => accepts(schema.contains, (value as unknown[])[Number(key)]));
      return;
    }
    if (isGiven('additionalProperties', 'unevaluatedProperties')) yield* keys;
    const patterns = listKeys(schema.patternProperties).map((pattern) => new RegExp(pattern, 'u'));
    const isNamed = (key: string) => isObject(schema.properties) && Object.hasOwn(schema.properties, key);
    yield* keys.filter((key) => isNamed(key) || patterns.some((pattern) => pattern.test(key)));
  }

  function findEvaluated(kind: Kind, schema: JsonSchema, value: unknown, without: string): Evaluated {
    const keys: Evaluated = new Set();
    const visited = new Set<unknown>();
    const visit = (part: unknown, except: string) => {
      if (!isObject(part) || visited.has(part)) return;
      visited.add(part);
      for (const key of findDirectKeys(kind, part, value, except)) keys.add(key);
      for (const applied of listAppliedSchemas(part, value)) visit(applied, '');
    };
    visit(schema, without);
    return keys;
  }

  return { findEvaluated, problems };
}
