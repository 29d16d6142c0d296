import { groups } from '../../../functions/index.ts';
import { openApi } from '../../../shared/platform/http/openapi.ts';
import type { Operation } from '../src/operation.ts';
import type { Schema } from './type-text.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
}
type Content = Record<string, { schema: Schema }>;

/** An operation of the API document. */
export interface Described {
  operationId: string;
  summary: string;
  parameters: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema> };
}

export interface DocumentedApi {
  operations: readonly (Described & { operation: Operation })[];
  schemas: Record<string, Schema>;
}

/** What the client needs of the API document. */
export function describedApi(): DocumentedApi {
  const { paths, components } = openApi(groups) as unknown as Document;
  const { schemas } = components;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      operation: operationOf(method.toUpperCase() as Operation['method'], path, described, schemas),
    })),
  );
  return { operations, schemas };
}

export const responseSchemas = ({ responses }: Described, mediaType: string): Schema[] =>
  Object.values(successes(responses)).flatMap(({ content }) => content?.[mediaType]?.schema ?? []);

export const successes = (responses: Described['responses']) =>
  Object.fromEntries(Object.entries(responses).filter(([status]) => /^20\d$/.test(status)));

function operationOf(
  method: Operation['method'],
  path: string,
  described: Described,
  schemas: Record<string, Schema>,
): Operation {
  const stream = streamOf(described, schemas);
  const pages = pagesOf(described, schemas);
  return {
    method,
    path,
    ...(described.parameters.some(({ name }) => name === 'Idempotency-Key') && { takesKey: true }),
    ...(stream && { stream }),
    ...(pages && { pages }),
    ...(responseSchemas(described, 'application/octet-stream').length > 0 && { isFile: true }),
  };
}

const resolved = (schema: Schema | undefined, schemas: Record<string, Schema>): Schema =>
  schema?.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : (schema ?? {});

function streamOf(described: Described, schemas: Record<string, Schema>): Operation['stream'] {
  if (responseSchemas(described, 'text/event-stream').length === 0) return undefined;
  if (responseSchemas(described, 'application/json').length === 0) return 'always';
  const body = resolved(described.requestBody?.content['application/json']?.schema, schemas);
  const hasSwitch = (schema: Schema) => schema.properties?.streamResponse !== undefined;
  if (hasSwitch(body)) return 'member';
  return hasSwitch(resolved(body.properties?.options, schemas)) ? 'options' : 'accept';
}

const pageParameters = ['cursor', 'offset', 'page'] as const;

function pagesOf(described: Described, schemas: Record<string, Schema>): Operation['pages'] {
  const names = described.parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const by = pageParameters.find((name) => names.includes(name));
  const [page] = responseSchemas(described, 'application/json');
  const members = Object.entries(resolved(page, schemas).properties ?? {});
  const lists = members.filter(([, { type }]) => type === 'array').map(([name]) => name);
  const [items] = lists;
  if (!by || !items) return undefined;
  if (lists.length > 1)
    throw new Error(`${described.operationId}: a page has several lists: ${lists.join(', ')}`);
  return { by, items };
}
