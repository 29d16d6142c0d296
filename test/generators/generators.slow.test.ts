import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test, vi } from 'vitest';
import { newTenant, stack } from '../support/stack/stack.ts';

// Each compiles types of the whole document.
vi.setConfig({ testTimeout: 240_000 });

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** Runs the program of a package as its user would. */
const program = (name: string, file: string, parameters: string[]) =>
  run(process.execPath, [join(dirname(require.resolve(`${name}/package.json`)), file), ...parameters]);

const openapi = () => `${stack().url}/openapi.json`;
const newFolder = () => mkdtempSync(join(tmpdir(), 'generated-'));

/** Type-checks a program that uses what was generated beside it. */
async function compile(folder: string, use: string): Promise<void> {
  writeFileSync(join(folder, 'use.ts'), use);
  const options = {
    compilerOptions: { strict: true, noEmit: true, target: 'esnext', module: 'preserve', types: [] },
    files: ['use.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  await program('typescript', 'bin/tsc', ['-p', folder]).catch(({ stdout }) => expect(stdout).toBe(''));
}

/** Runs a program as its user would, with what was generated beside it. @returns what its `main` returns. */
async function runProgram(folder: string, program: string, origin: string, key: string): Promise<unknown> {
  const [source, outfile] = [join(folder, 'main.ts'), join(folder, 'main.mjs')];
  writeFileSync(source, program);
  await build({ bundle: true, format: 'esm', platform: 'node', entryPoints: [source], outfile });
  const { main } = await import(pathToFileURL(outfile).href);
  return main(origin, key);
}

const steps = `[{ name: 'Greet', type: 'template', order: 1, config: { outputVariable: 'greeting', template: 'Hello {{ who }}' } }]`;

test('openapi-typescript makes types of the served document, events and all, that compile', async () => {
  const folder = newFolder();
  await program('openapi-typescript', 'bin/cli.js', [openapi(), '-o', join(folder, 'api.ts')]);
  await compile(
    folder,
    `import type { components, paths } from './api';
type Event = components['schemas']['StreamEvent'];
export const typeOf = (event: Event) => event.type === 'text_delta' ? event.delta : event.seq.toFixed();
export const message: paths['/v1/dispatch']['post']['responses'][200]['content']['text/event-stream'] =
  { event: 'text_delta', id: '1', data: '{}' };
// @ts-expect-error There is no such event.
export const none: components['schemas']['DispatchEventMessage']['event'] = 'nothing';
export const done: components['schemas']['StepCompleteEvent']['success'] = true;`,
  );
});

test('@hey-api/openapi-ts makes a client of the served document that compiles, runs a flow and tells of an error', async () => {
  const folder = newFolder();
  await program('@hey-api/openapi-ts', 'bin/run.js', ['-i', openapi(), '-o', join(folder, 'client')]);
  await compile(
    folder,
    `import { flowsGet, dispatchRun, type StreamEvent, type ExecutionErrorEvent } from './client';
export const name = async () => (await flowsGet({ path: { id: 'flow_1' } })).data?.name satisfies string | undefined;
export const status = async (): Promise<
  'completed' | 'failed' | 'paused' | 'running' | 'cancelled' | undefined
> =>
  (await dispatchRun({ body: { flow: { name: 'a', steps: [] } } })).data?.status;
export const isError = (event: StreamEvent): event is ExecutionErrorEvent => event.type === 'execution_error';`,
  );
  const { token } = await newTenant();
  const main = `import { flowsCreate, flowsGet, dispatchRun } from './client';
import { client } from './client/client.gen';
export async function main(baseUrl: string, key: string) {
  client.setConfig({ baseUrl, auth: key });
  const { data: flow } = await flowsCreate({ body: { name: 'Generated' }, throwOnError: true });
  const { data } = await flowsGet({ path: { id: flow.id }, throwOnError: true });
  const run = await dispatchRun({
    body: { flow: { name: 'a', steps: ${steps} }, inputs: { who: 'Ada' }, options: { streamResponse: false } },
    throwOnError: true,
  });
  const { error } = await flowsGet({ path: { id: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn' } });
  return [data.name, run.data.status, error?.error];
}`;
  await compile(folder, main);
  expect(await runProgram(folder, main, stack().url, token)).toEqual([
    'Generated',
    'completed',
    'Flow not found',
  ]);
});

/** openapi-generator is in no registry of npm, which downloads it: see docs/testing.md. */
const jar = process.env.OPENAPI_GENERATOR_JAR;

const openapiGenerator = (generator: string, folder: string, more: string[] = []) =>
  run('java', ['-jar', jar ?? '', 'generate', '-i', openapi(), '-g', generator, '-o', folder, ...more]);

test.skipIf(!jar)(
  'openapi-generator makes a client in TypeScript that compiles',
  async () => {
    const folder = newFolder();
    await openapiGenerator('typescript-fetch', join(folder, 'client'));
    await compile(
      folder,
      `import { FlowsApi, WorkspaceApi, type Telemetry } from './client';
export const name = async () => (await new FlowsApi().flowsGet({ id: 'flow_1' })).name satisfies string;
export const headers = (telemetry: Telemetry): Record<string, string> => telemetry.headers;
export const plan = new WorkspaceApi().workspacePlan;`,
    );
  },
  120_000,
);

test.skipIf(!jar)(
  'openapi-generator makes a client in Go that compiles',
  async () => {
    const folder = newFolder();
    await openapiGenerator('go', folder, ['--additional-properties', 'packageName=client,withGoMod=true']);
    const options = { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } };
    await run('go', ['build', './...'], options).catch(({ stderr }) => expect(stderr).toBe(''));
  },
  240_000,
);

test('swagger-typescript-api makes a client of the served document that compiles and runs a flow', async () => {
  const folder = newFolder();
  await program('swagger-typescript-api', 'dist/cli.mjs', [
    'generate',
    '-p',
    openapi(),
    '-o',
    folder,
    '-n',
    'api.ts',
  ]);
  const main = `import { Api } from './api';
export async function main(baseUrl: string, key: string) {
  const api = new Api({ baseUrl, securityWorker: () => ({ headers: { authorization: \`Bearer \${key}\` } }) });
  const { data: flow } = await api.v1.flowsCreate({ name: 'Generated' });
  return flow.name;
}`;
  await compile(folder, main);
  const { token } = await newTenant();
  expect(await runProgram(folder, main, stack().url, token)).toBe('Generated');
});
