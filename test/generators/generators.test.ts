import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { stack } from '../support/stack.ts';

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

test('@hey-api/openapi-ts makes a client of the served document that compiles', async () => {
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
});
