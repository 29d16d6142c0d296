import { expect, test } from 'vitest';
import { groups as all } from '../../../functions/index.ts';
import { openApi } from '../../../shared/platform/http/openapi.ts';

const document = openApi(all) as unknown as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
interface Schema {
  $ref?: string;
  examples?: unknown[];
  example?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}
interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown; examples?: unknown }>;
}
interface Operation {
  operationId: string;
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** Whether a schema, or a part of it down to the entries of a list, has an example. */
function hasExample(schema: Schema | undefined): boolean {
  if (!schema) return false;
  if (schema.$ref) return hasExample(document.components.schemas[schema.$ref.split('/').at(-1) ?? '']);
  if (schema.examples?.length || schema.example !== undefined) return true;
  const inside = [schema.items, ...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])];
  return inside.some(hasExample);
}
const shown = ({ content }: Content) =>
  Object.values(content ?? {}).every(
    ({ schema, example, examples }) => example !== undefined || examples !== undefined || hasExample(schema),
  );

const groups = [
  'agents',
  'agent-versions',
  'agent-runs',
  'agent-executions',
  'dispatch',
  'model-configs',
  'model-usage',
  'run-metrics',
  'run-feedback',
  'provider-keys',
  'tools',
  'tool-runs',
];
const operations = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .filter(({ operationId }) => groups.includes(operationId?.split('.')[0] ?? ''));

/** Bodies that say all in their members. */
const plain = new Set([
  'agents.remove-capability',
  'agents.delete',
  'model-configs.set-status',
  'provider-keys.delete',
  'tools.delete',
]);

test('every operation of agents, models and tools shows an example of what it takes and of what it returns', () => {
  expect(operations.length).toBeGreaterThan(25);
  const withoutBody = operations.filter(({ requestBody }) => requestBody && !shown(requestBody));
  expect(withoutBody.map(({ operationId }) => operationId)).toEqual([]);
  const withoutResponse = operations.filter(({ operationId, responses }) => {
    const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    return !plain.has(operationId) && !success.every(([, response]) => shown(response));
  });
  expect(withoutResponse.map(({ operationId }) => operationId)).toEqual([]);
});
