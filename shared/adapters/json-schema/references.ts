import { urlPart } from '../../core/text.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { walkSubschemas } from './subschemas.ts';

const escapeName = (name: string) => urlPart(name.replaceAll('~', '~0').replaceAll('/', '~1'));
const toPointer = (path: readonly string[]) => path.map((name) => `/${escapeName(name)}`).join('');
const parsePointer = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'));

interface Place {
  path: readonly string[];
  /** The schema around it that has an `$id`, or the document. */
  resource: JsonSchema;
}
interface Target {
  schema: unknown;
  path: readonly string[];
}

/** Where each schema of a document is, and which one a reference means that stays inside of the document. */
export function indexReferences(document: JsonSchema) {
  const places = new Map<unknown, Place>();
  const anchors = new Map<JsonSchema, Map<string, Target>>();

  function enter(root: unknown, rootPath: readonly string[], around: JsonSchema) {
    const resources = [{ pointer: toPointer(rootPath), resource: around }];
    for (const { schema, path } of walkSubschemas(root, [...rootPath])) {
      const pointer = toPointer(path);
      if (typeof schema.$id === 'string') resources.push({ pointer, resource: schema });
      const isAround = (each: { pointer: string }) =>
        pointer === each.pointer || pointer.startsWith(`${each.pointer}/`);
      const resource = resources.findLast(isAround)?.resource ?? around;
      places.set(schema, { path, resource });
      const names = anchors.get(resource) ?? new Map<string, Target>();
      anchors.set(resource, names);
      for (const name of [schema.$anchor, schema.$dynamicAnchor]) {
        if (typeof name === 'string') names.set(name, { schema, path });
      }
    }
  }
  enter(document, [], document);

  function resolveReference(reference: string, from: JsonSchema): Target | undefined {
    const place = places.get(from);
    if (!place || !reference.startsWith('#')) return undefined;
    const fragment = reference.slice(1);
    if (fragment !== '' && !fragment.startsWith('/')) return anchors.get(place.resource)?.get(fragment);
    let target: Target = { schema: place.resource, path: places.get(place.resource)?.path ?? [] };
    for (const name of parsePointer(fragment)) {
      const { schema, path } = target;
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, name)) return undefined;
      target = { schema: (schema as JsonSchema)[name], path: [...path, name] };
    }
    // Behind a keyword that contains no schemas.
    if (!places.has(target.schema)) enter(target.schema, target.path, place.resource);
    return target;
  }

  return {
    resolveReference,
    /** As the fragment of an address. */
    getPointer: (schema: JsonSchema) => toPointer(places.get(schema)?.path ?? []),
    /** How many schemas a `$dynamicRef` of this name may mean. */
    dynamicAnchors: (name: string) =>
      [...places.keys()].filter((schema) => (schema as JsonSchema).$dynamicAnchor === name).length,
    schemas: () => [...places.keys()] as JsonSchema[],
  };
}

/**
 * Writes what Ajv mistakes in another way. Changes the document.
 * - A `$dynamicRef` that can mean one schema only becomes a `$ref`: Ajv takes those for references to the whole schema
 *   whose anchor it has not passed yet.
 * - A `$ref` beside an `$id` goes into `allOf`: Ajv follows it without end.
 * - The property `__proto__` becomes a pattern: Ajv leaves it out (D279).
 */
export function rewriteForAjv(document: JsonSchema): JsonSchema {
  const { schemas, resolveReference, dynamicAnchors } = indexReferences(document);
  const apply = (schema: Record<string, unknown>, reference: string) => {
    schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), { $ref: reference }];
  };
  for (const schema of schemas() as Record<string, unknown>[]) {
    const { $dynamicRef: dynamic, $ref: fixed, $id, properties } = schema;
    if (
      typeof dynamic === 'string' &&
      dynamicAnchors(dynamic.slice(1)) <= 1 &&
      resolveReference(dynamic, schema)
    ) {
      delete schema.$dynamicRef;
      apply(schema, dynamic);
    }
    if (typeof $id === 'string' && typeof fixed === 'string') {
      delete schema.$ref;
      apply(schema, fixed);
    }
    if (typeof properties === 'object' && properties !== null && Object.hasOwn(properties, '__proto__')) {
      const { ['__proto__']: named, ...others } = properties as JsonSchema;
      schema.properties = others;
      schema.patternProperties = { ...(schema.patternProperties as JsonSchema), '^__proto__$': named };
    }
  }
  return document;
}
