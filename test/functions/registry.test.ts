import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { endpoints, groups } from '../../functions/index.ts';
import { detailCodes } from '../../shared/core/errors/error-codes.ts';
import { listErrorStatuses } from '../../shared/platform/http/declared-statuses.ts';
import type { AnyEndpoint, EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { openApi, toDocumentedPath } from '../../shared/platform/http/openapi.ts';

const all: readonly AnyEndpoint[] = endpoints;

/** Method and path of every operation that the contract gives this product so far. */
const contract = `
POST /v1/api-keys
GET /v1/api-keys
GET /v1/api-keys/analytics
GET /v1/usage-limits
GET /v1/budgets
POST /v1/budgets
GET /v1/budgets/{id}
PUT /v1/budgets/{id}
DELETE /v1/budgets/{id}
GET /v1/telemetry
PUT /v1/telemetry
DELETE /v1/telemetry
POST /v1/telemetry/test
GET /v1/flows
POST /v1/flows
GET /v1/flows/{id}
PUT /v1/flows/{id}
DELETE /v1/flows/{id}
GET /v1/flows/{id}/step-results
POST /v1/flows/{id}/run-on-record-type
POST /v1/flows/{id}/publish
GET /v1/flow-versions/{flowId}
GET /v1/flow-versions/{flowId}/published
POST /v1/flow-versions/{flowId}/publish
GET /v1/flow-versions/{flowId}/{versionId}
GET /v1/records
POST /v1/records
POST /v1/records/bulk-delete
POST /v1/records/bulk-edit
GET /v1/records/schema
GET /v1/records/field-values
POST /v1/records/upload-csv
POST /v1/records/preview-filter
GET /v1/records/export
GET /v1/records/{id}
PUT /v1/records/{id}
DELETE /v1/records/{id}
GET /v1/records/{id}/costs
GET /v1/records/{id}/results
DELETE /v1/records/{id}/results
GET /v1/records/{id}/step-results
GET /v1/batch/status/{id}
POST /v1/batch/cancel/{id}
POST /v1/batch/flow
GET /v1/api-keys/options
GET /v1/api-keys/{id}
PUT /v1/api-keys/{id}
DELETE /v1/api-keys/{id}
POST /v1/api-keys/{id}/regenerate
GET /v1/api-keys/{id}/reveal
GET /v1/api-keys/{id}/analytics
GET /v1/batch/summary
GET /v1/batch/{id}/cost
POST /v1/dispatch
POST /v1/dispatch/resume
GET /v1/model-usage
GET /v1/run-metrics
POST /v1/runs/{id}/feedback
GET /v1/runs/{id}/feedback
GET /v1/feedback
DELETE /v1/feedback/{id}
GET /v1/flows/{id}/export-runtime
POST /v1/public/flows/validate
GET /v1/secrets
POST /v1/secrets
POST /v1/secrets/check
GET /v1/secrets/{id}
PUT /v1/secrets/{id}
DELETE /v1/secrets/{id}
POST /v1/secrets/setup-url
POST /v1/secrets/intake/manifest
POST /v1/secrets/intake/submit
GET /v1/model-configs/available
GET /v1/model-configs/search-capable
GET /v1/model-configs/search-configured
GET /v1/model-configs
POST /v1/model-configs
PUT /v1/model-configs/{id}
DELETE /v1/model-configs/{id}
PATCH /v1/model-configs/{id}/default
PATCH /v1/model-configs/{id}/status
GET /v1/model-configs/grouped
GET /v1/model-configs/usage
GET /v1/provider-keys
POST /v1/provider-keys
PATCH /v1/provider-keys/{id}
DELETE /v1/provider-keys/{id}
GET /v1/tools
POST /v1/tools
GET /v1/tools/schema
GET /v1/tools/builtin
GET /v1/tools/builtin/compatible
GET /v1/tools/builtin/{toolId}/schema
GET /v1/tools/{id}
PUT /v1/tools/{id}
DELETE /v1/tools/{id}
POST /v1/tools/{id}/execute
POST /v1/tools/{id}/test
GET /v1/agents
POST /v1/agents
POST /v1/agents/fetch-agent-card
GET /v1/agents/{id}
PUT /v1/agents/{id}
DELETE /v1/agents/{id}
POST /v1/agents/{id}/publish
GET /v1/agents/{id}/export-runtime
POST /v1/agents/{id}/capabilities
DELETE /v1/agents/{id}/capabilities/{capabilityId}
POST /v1/agents/{id}/refresh-agent-card
GET /v1/agent-versions/{agentId}
GET /v1/agent-versions/{agentId}/published
GET /v1/agent-versions/{agentId}/{versionId}
POST /v1/agent-versions/{agentId}/publish
GET /v1/runs
GET /v1/runs/{id}
GET /v1/runs/{id}/trace
POST /v1/runs/{id}/cancel
POST /v1/agents/{id}/execute
POST /v1/agents/{id}/resume
POST /v1/agents/{id}/approve
GET /v1/agents/{id}/executions
GET /v1/agents/{id}/executions/{executionId}
GET /v1/agents/{id}/executions/{executionId}/events
POST /v1/agents/{id}/executions/{executionId}/cancel
GET /v1/agents/{id}/executions/{executionId}/tool-calls
GET /v1/agents/{id}/executions/{executionId}/tool-calls/{toolCallId}
GET /v1/products
POST /v1/products
GET /v1/products/{id}
PUT /v1/products/{id}
DELETE /v1/products/{id}
POST /v1/products/{id}/capabilities
PUT /v1/products/{id}/capabilities/{capabilityId}
DELETE /v1/products/{id}/capabilities/{capabilityId}
GET /v1/products/{id}/surfaces
POST /v1/products/{id}/surfaces
GET /v1/products/{id}/surfaces/{surfaceId}
PUT /v1/products/{id}/surfaces/{surfaceId}
DELETE /v1/products/{id}/surfaces/{surfaceId}
POST /v1/products/{id}/surfaces/{surfaceId}/items
PUT /v1/products/{id}/surfaces/{surfaceId}/items/{itemId}
DELETE /v1/products/{id}/surfaces/{surfaceId}/items/{itemId}
POST /v1/products/{id}/surfaces/{surfaceId}/keys
DELETE /v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}
GET /v1/products/{id}/surfaces/{surfaceId}/keys/{keyId}/reveal
GET /v1/products/{id}/surfaces/{surfaceId}/schedules
POST /v1/products/{id}/surfaces/{surfaceId}/schedules
GET /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}
PUT /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}
DELETE /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}
POST /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/pause
POST /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/resume
POST /v1/products/{id}/surfaces/{surfaceId}/schedules/{scheduleId}/run-now
GET /v1/schedules/{id}/runs
GET /v1/client-tokens
POST /v1/client-tokens
GET /v1/client-tokens/{id}
PUT /v1/client-tokens/{id}
DELETE /v1/client-tokens/{id}
GET /v1/client-tokens/{id}/token
POST /v1/client-tokens/{id}/regenerate
GET /v1/client-tokens/{id}/conversations
GET /v1/conversations
POST /v1/conversations
GET /v1/conversations/{id}
PUT /v1/conversations/{id}
DELETE /v1/conversations/{id}
POST /v1/dispatch/approve
POST /v1/dispatch/continue
GET /v1/workspace
POST /v1/workspace/plan
POST /v1/workspace/apply
`
  .trim()
  .split('\n');

const routeOf = ({ method, path }: AnyEndpoint) => `${method} ${path}`;
const shapeOf = (endpoint: AnyEndpoint) => routeOf(endpoint).replace(/\{\w+\}/g, '{}');

test('every operation of the contract is registered', () => {
  expect(all.map(routeOf)).toEqual(expect.arrayContaining(contract));
});

test('ids and routes are unique', () => {
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(new Set(all.map(shapeOf)).size).toBe(all.length);
});

/** What is wrong with how a file that declares an endpoint is registered. */
function* unregistered(folder: string, file: string, module: Record<string, unknown>, group?: EndpointGroup) {
  if (!('handler' in module)) return;
  const path = `functions/${folder}/${file}.ts`;
  const id = `${folder}.${file}`;
  const registered = group?.endpoints.find((endpoint) => Object.values(module).includes(endpoint));
  if (!group) yield `${path}: add functions/${folder}/index.ts to functions/index.ts`;
  else if (!registered) yield `${path}: add its endpoint to functions/${folder}/index.ts`;
  else if (registered.id !== id) yield `${path}: its id is ${registered.id}, and should be ${id}`;
}

test('every file under functions/ that declares an endpoint is registered, at the path that its id states', async () => {
  const byName: Readonly<Record<string, EndpointGroup>> = groups;
  const folders = (await readdir('functions', { withFileTypes: true })).filter(
    (entry) => entry.isDirectory() && !['workers', 'sites'].includes(entry.name),
  );
  const wrong: string[] = [];
  let declared = 0;
  for (const { name: folder } of folders) {
    for (const file of await readdir(`functions/${folder}`)) {
      const module: Record<string, unknown> = await import(`../../functions/${folder}/${file}`);
      if ('handler' in module) declared++;
      wrong.push(...unregistered(folder, file.replace(/\.ts$/, ''), module, byName[folder]));
    }
  }
  expect(wrong).toEqual([]);
  expect(declared).toBe(all.length);
});

test('an error names an unregistered endpoint and the file to add it to', () => {
  const [listFlows] = groups.flows.endpoints;
  const module = { handler: () => {}, listFlows };
  const told = (...given: Parameters<typeof unregistered>) => [...unregistered(...given)];
  expect(told('flows', 'list', module, groups.flows)).toEqual([]);
  expect(told('flows', 'schemas', {}, groups.flows)).toEqual([]);
  expect(told('flows', 'list', module, groups.records)).toEqual([
    'functions/flows/list.ts: add its endpoint to functions/flows/index.ts',
  ]);
  expect(told('new', 'list', module)).toEqual([
    'functions/new/list.ts: add functions/new/index.ts to functions/index.ts',
  ]);
  expect(told('flows', 'get', module, groups.flows)).toEqual([
    'functions/flows/get.ts: its id is flows.list, and should be flows.get',
  ]);
});

test.each(all.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s: its path and its params have the same names',
  (_id, endpoint) => {
    const inPath = [...endpoint.path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name);
    expect(Object.keys(endpoint.params?.shape ?? {}).toSorted()).toEqual(inPath.toSorted());
  },
);

test('an endpoint that validates input declares 400', () => {
  const missing = all
    .filter(({ params, query, body }) => params ?? query ?? body)
    .filter(({ errors = [] }) => !errors.includes(400))
    .map(({ id }) => `${id}: add 400 to its errors, since it validates input`);
  expect(missing).toEqual([]);
});

type Operation = { responses: Record<number, { content: object }> };

test('the OpenAPI document lists every code of an error, and gives each status its body', () => {
  const { paths, components } = openApi(groups);
  const operations = paths['/v1/flows/{id}'] as Record<string, Operation>;
  const bodyOf = (status: number) => operations.put?.responses[status]?.content;
  for (const status of [400, 404, 409, 500]) {
    expect(bodyOf(status)).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
    });
  }
  for (const status of [401, 403, 429]) {
    expect(bodyOf(status)).toEqual({
      'application/json': { schema: { $ref: '#/components/schemas/AccessError' } },
    });
  }
  const listed = JSON.stringify(components.schemas.ErrorDetail);
  for (const code of Object.keys(detailCodes)) expect(listed).toContain(`\`${code}\``);
});

test('the OpenAPI document gives errors the form that their endpoint has', () => {
  const { paths } = openApi(groups);
  const own = all.filter(({ errorBody }) => errorBody);
  expect(own.length).toBeGreaterThan(5);
  for (const { id, path, method, errorBody, errors, credential, scope } of own) {
    expect(credential ?? scope, `${id}: the gateway's 401 has another form`).toBeDefined();
    const { responses } = (paths[toDocumentedPath({ path })] as Record<string, Operation>)[
      method.toLowerCase()
    ] as Operation;
    const name = errorBody?.schema.meta()?.id;
    const theirs = { $ref: `#/components/schemas/${name}` };
    const schemaOf = (status: number) => responses[status]?.content;
    expect(name, id).toMatch(/^(A2a(Rest|Rpc)|OpenAi)Error$/);
    if (errors?.includes(404)) expect(schemaOf(404), id).toEqual({ 'application/json': { schema: theirs } });
    expect(schemaOf(401), id).toEqual({ 'application/json': { schema: theirs } });
    // API Gateway answers these too, and does not know the protocol.
    const either = { anyOf: [theirs, { $ref: '#/components/schemas/AccessError' }] };
    expect(schemaOf(429), id).toEqual({ 'application/json': { schema: either } });
  }
});

test('the OpenAPI document has what generators for Go read: no list of several types, and no two names that differ in spelling', () => {
  const spelling = (name: string) => name.replace(/[^a-z0-9]/gi, '').toLowerCase();
  const problems: string[] = [];
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const {
      type,
      properties = {},
      parameters = [],
    } = value as {
      type?: unknown;
      properties?: object;
      parameters?: { name: string }[];
    };
    if (Array.isArray(type) && type.filter((each) => each !== 'null').length > 1) problems.push(path);
    for (const names of [Object.keys(properties), parameters.map?.(({ name }) => name) ?? []])
      if (new Set(names.map(spelling)).size < names.length) problems.push(`${path}: ${names}`);
    for (const [key, each] of Object.entries(value))
      if (!/^examples?$/.test(key)) walk(each, `${path}/${key}`);
  };
  walk(openApi(groups), '');
  expect(problems).toEqual([]);
});

test('the OpenAPI document contains every route, and every reference in it resolves', () => {
  const document = openApi(groups);
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.toSorted()).toEqual(
    [
      ...all.map((each) => routeOf({ ...each, path: toDocumentedPath(each) as never })),
      'GET /openapi.json',
    ].toSorted(),
  );
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name,
  );
  expect(references.length).toBeGreaterThan(50);
  for (const name of references) {
    expect(document.components.schemas).toHaveProperty([name ?? '']);
    expect(document.components.schemas[name ?? ''], name).not.toHaveProperty('$ref');
  }
});

test('what statuses mean at an endpoint is said of statuses that it has', () => {
  const unknown = all.flatMap(({ statuses = {}, ...endpoint }) =>
    Object.keys(statuses)
      .filter((status) => !listErrorStatuses(endpoint).includes(Number(status)))
      .map((status) => `${endpoint.id} ${status}`),
  );
  expect(unknown).toEqual([]);
});

test('long descriptions are lists', () => {
  const paragraphsMax = 720;
  const long = all.flatMap(({ id, description = '' }) =>
    description.split('\n').flatMap((line) => (line.length > paragraphsMax ? [`${id}: ${line.length}`] : [])),
  );
  expect(long).toEqual([]);
});
