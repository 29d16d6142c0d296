import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { entries, type LambdaEntry } from '../../../infra/aws/conventions/entries.ts';
import {
  type Bundles,
  buildBundles,
  bundleFolder,
  staticFilesFolder,
} from '../../../infra/aws/lambdas/bundles.ts';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import { readPdf } from '../../support/files/pdf.ts';
import { createTool } from '../../support/files/tools.ts';
import { plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { createFlow } from '../../support/flows/flows.ts';
import { mcpServer } from '../../support/servers/mcp.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { tenantPrincipal } from '../../support/stack/principals.ts';
import { newTenant } from '../../support/stack/stack.ts';
import { readStreamedAnswer } from '../../support/stack/streamed.ts';

// Bundling takes seconds, and several times as long while other tests run.
vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'bundles-'));
let bundles: Bundles;
beforeAll(async () => {
  bundles = await buildBundles(entries, folder);
}, 300_000);
afterAll(() => rm(folder, { recursive: true }));

/** A Lambda as it is deployed: bundled, minified, and loaded by Node without this project around it. */
async function deployed(id: string) {
  const url = pathToFileURL(resolve(bundleFolder(bundles, id), 'index.mjs')).href;
  const { handler } = await import(/* @vite-ignore */ url);
  return handler;
}

const context = { getRemainingTimeInMillis: () => 60_000 };

test('the bundled authorizer verifies a session token with the issuer’s published keys', async () => {
  const tenant = await newTenant();
  const authorizer = await deployed('authorizer');
  const event = {
    methodArn: 'arn:aws:execute-api:us-east-1:1:api/dev/GET/v1/flows',
    headers: { Authorization: `Bearer ${tenant.token}` },
  };
  const { context: given, policyDocument } = await authorizer(event);
  expect(JSON.parse(given.principal)).toMatchObject({ kind: 'session', tenant: tenant.tenant });
  expect(policyDocument.Statement[0]).toMatchObject({
    Effect: 'Allow',
    Resource: 'arn:aws:execute-api:us-east-1:1:api/dev/*',
  });
});

test('a bundled endpoint returns the same responses as the unbundled one', async () => {
  const tenant = await newTenant();
  const flow = await createFlow(tenant);
  const get = invokeWith(await deployed('flows.get'), tenantPrincipal(tenant));
  expect(await get({ pathParameters: { id: flow.id } })).toMatchObject({
    statusCode: 200,
    body: JSON.stringify(flow),
  });
  const create = invokeWith(await deployed('flows.create'), tenantPrincipal(tenant));
  const refused = await create({
    httpMethod: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'f',
      flowSteps: [{ type: 'transform-data', name: 's', config: { script: 'return (' } }],
    }),
  });
  expect(refused).toMatchObject({
    statusCode: 400,
    body: expect.stringContaining('flowSteps.0.config.script'),
  });
});

test('the bundle of an endpoint that runs no tenant code contains no sandbox', () => {
  const filesOf = (id: string) => readdirSync(join(folder, id), { recursive: true }).map(String);
  expect(filesOf('records.get')).not.toContain(join('sandbox-thread', 'thread.mjs'));
  expect(filesOf('flows.update')).toContain(join('sandbox-thread', 'thread.mjs'));
});

test('every file of every bundle loads, whatever the environment, and the start exports the handler', async () => {
  const load = `
    const { existsSync, readdirSync } = await import('node:fs');
    const [, ...folders] = process.argv;
    for (const folder of folders) {
      const later = folder + '/later';
      const names = existsSync(later) ? readdirSync(later).filter((name) => name.endsWith('.mjs')) : [];
      const { handler } = await import(folder + '/index.mjs');
      if (typeof handler !== 'function') throw new Error(folder + ' has no handler');
      for (const name of names) await import(later + '/' + name);
    }`;
  const parts = Object.values(Object.groupBy(entries, (_, index) => index % 6)) as LambdaEntry[][];
  await forEachConcurrently(parts, 2, async (part) => {
    const folders = part.map(({ id }) => resolve(bundleFolder(bundles, id)));
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', load, ...folders], {
      env: {},
    });
  });
});

test('the bundled flow validation authenticates the caller and checks the account', async () => {
  const { token } = await newTenant();
  const check = invokeWith(await deployed('public.validate-flow'), {});
  const config = { recordFilter: { type: 'none' } };
  const ask = (headers: object) =>
    check({
      httpMethod: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        name: 'f',
        flowSteps: [
          { type: 'retrieve-record', name: 'r', config },
          { type: 'vector-search', name: 'v', config: { collection: 'c', vectorVariable: '_record' } },
        ],
      }),
    });
  const { warnings, context } = JSON.parse((await ask({ Authorization: `Bearer ${token}` })).body);
  expect(context).toEqual({ authenticated: true, accountChecksPerformed: true, accountChecksSkipped: false });
  expect(warnings.map(({ code }: { code: string }) => code)).toEqual([
    'UNKNOWN_RECORD_TYPE',
    'UNKNOWN_COLLECTION',
  ]);
  expect((await ask({ Authorization: 'Bearer x' })).statusCode).toBe(401);
});

test('the static-files bundle contains every file and none of the code that generates them', async () => {
  const handler = await deployed('static-files');
  vi.stubEnv('STATIC_FILES', join(folder, 'static-files', staticFilesFolder));
  const get = async (resource: string, proxy?: string) => {
    const stream = new PassThrough();
    const requestContext = { path: resource.replace('{proxy+}', proxy ?? '') };
    const event = { resource, pathParameters: proxy ? { proxy } : null, headers: {}, requestContext };
    await handler(event, stream, {});
    return readStreamedAnswer(stream);
  };
  const { body } = await get('/openapi.json');
  expect(JSON.parse(body).paths).toHaveProperty(['/v1/flows/{id}']);
  expect((await get('/docs')).body).toContain('docs/script.js');
  expect((await get('/docs/{proxy+}', 'script.js')).body).toContain('Scalar.createApiReference(');
  expect((await get('/docs/{proxy+}', 'style.css')).body).toContain('.dark-mode');
  expect((await get('/secrets/setup')).body).toContain('setup/script.js');
  expect((await get('/secrets/setup/{proxy+}', 'script.js')).body).toContain('location.hash');
  expect((await get('/secrets/setup/{proxy+}', 'fields.js')).body).toContain('export function fieldOf(');
  expect((await get('/secrets/setup/{proxy+}', 'style.css')).body).toContain('prefers-color-scheme');
  const code = statSync(join(folder, 'static-files', 'index.mjs')).size;
  expect(code).toBeLessThan(20_000);
});

test('a bundle that runs tools loads the SDKs of MCP and A2A with the first call, and others do not contain them', async () => {
  const tenant = await newTenant();
  const { url } = await mcpServer({ kind: 'modern' });
  const { id } = await createTool(tenant, { toolType: 'mcp', config: { url, toolName: 'get_weather' } });
  const execute = invokeWith(await deployed('tool-runs.execute'), tenantPrincipal(tenant));
  const { body } = await execute({
    httpMethod: 'POST',
    headers: { 'content-type': 'application/json' },
    pathParameters: { id },
    body: JSON.stringify({ parameters: { city: 'Oslo' } }),
  });
  expect(JSON.parse(body)).toMatchObject({ status: 'success', result: { celsius: 21.5 } });
  const files = [...filesWith(mcp, 'tool-runs.execute'), ...filesWith(a2a, 'tool-runs.execute')];
  expect(files.length).toBeGreaterThan(1);
  expect(files).not.toContain('index.mjs');
  expect(['tools.get', 'tools.create', 'flows.get'].flatMap((id) => filesWith(mcp, id))).toEqual([]);
  expect(['tools.get', 'flows.get', 'agents.refresh-agent-card'].flatMap((id) => filesWith(a2a, id))).toEqual(
    [],
  );
});

/** What only the SDK of the protocol contains. */
const [mcp, a2a] = ['server/discover', 'SendStreamingMessage'];

/** The files of a bundle that contain a text. */
const filesWith = (part: string, id: string) =>
  readdirSync(join(folder, id), { encoding: 'utf8', recursive: true }).filter(
    (name) => name.endsWith('.mjs') && readFileSync(join(folder, id, name), 'utf8').includes(part),
  );

test('the bundled worker runs every kind of step: sandbox, template, model, HTTP, record', async () => {
  const batch = await plannedBatch({
    steps: [
      {
        type: 'transform-data',
        name: 'script',
        config: { script: 'return { n: _record.metadata.n + 1 }', outputVariable: 'shaped' },
      },
      {
        type: 'conditional',
        name: 'if',
        config: {
          condition: 'shaped.n > 0',
          trueSteps: [
            {
              type: 'template',
              name: 'text',
              config: { template: 'n is {{ shaped.n }}', outputVariable: 'text' },
            },
          ],
        },
      },
      {
        type: 'prompt',
        name: 'ask',
        config: { model: 'generic-openai/any', userPrompt: 'Say {{ text }}', outputVariable: 'answer' },
      },
      {
        type: 'api-call',
        name: 'call',
        config: {
          http: { url: 'http://169.254.169.254/latest', method: 'GET' },
          errorHandling: { onError: 'continue' },
        },
      },
      {
        type: 'set-variable',
        name: 'set',
        config: { variableName: 'entry', value: { name: 'made', text: '{{ answer }}' } },
      },
      { type: 'upsert-record', name: 'keep', config: { recordType: 'kept', sourceVariable: 'entry' } },
    ],
  });
  const worker = await deployed('workers.run-record');
  expect(await worker(sqsEvent([batch.message()]), context)).toEqual({ batchItemFailures: [] });
  const results = await batch.results();
  expect(results.map(({ stepName, status }) => `${stepName} ${status}`)).toEqual([
    'script completed',
    'if completed',
    'text completed',
    'ask completed',
    'call failed',
    'set completed',
    'keep completed',
  ]);
  expect(results[3]).toMatchObject({ modelUsed: 'generic-openai/any', resolvedPrompt: 'Say n is 1' });
  expect(results[4]?.errorMessage).toMatch(/169\.254\.169\.254/);
});

test('the bundled worker creates and searches vectors, stores files and creates PDFs', async () => {
  const embeddingModel = 'generic-openai/any';
  const batch = await plannedBatch({
    steps: [
      {
        type: 'generate-embedding',
        name: 'embed',
        config: { text: 'Hello', embeddingModel, outputVariable: 'vector' },
      },
      { type: 'store-vector', name: 'store', config: { vectorsSource: 'vector', destination: 'docs' } },
      {
        type: 'vector-search',
        name: 'find',
        config: { collection: 'docs', query: 'Hello', embeddingModel, outputVariable: 'found' },
      },
      { type: 'store-asset', name: 'keep', config: { content: 'SGVsbG8=', filename: 'hello.txt' } },
      {
        type: 'generate-pdf',
        name: 'print',
        config: { html: '<p>Found {{ found.size }} ✓</p>', outputVariable: 'pdf' },
      },
      { type: 'template', name: 'tell', config: { template: '{{ found[0].score }} {{ pdf.url }}' } },
    ],
  });
  const worker = await deployed('workers.run-record');
  expect(await worker(sqsEvent([batch.message()]), context)).toEqual({ batchItemFailures: [] });
  const results = await batch.results();
  expect(
    results.map(({ stepName, status, errorMessage }) => [stepName, status, errorMessage ?? null]),
  ).toEqual(['embed', 'store', 'find', 'keep', 'print', 'tell'].map((name) => [name, 'completed', null]));
  const [score, url = ''] = (results.at(-1)?.outputPreview ?? '').split(' ');
  expect(Number(score)).toBeCloseTo(1);
  const { pages } = await readPdf(new Uint8Array(await (await fetch(url)).arrayBuffer()));
  expect(pages).toMatchObject([{ text: 'Found 1 ✓' }]);
});
