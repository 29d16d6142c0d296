import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const urlOf = (path: string) => new URL(`../../${path}`, import.meta.url).href;
const modules = ['functions/index.ts', 'functions/workers/index.ts', 'functions/authorizer.ts'];

/** Fails at what loads the data of languages: 13 ms of each cold start. */
const program = `
  const refuse = (name) => () => { throw new Error(name + ' at the start of a Lambda'); };
  for (const type of [Number, Date, BigInt, Array]) type.prototype.toLocaleString = refuse('toLocaleString');
  String.prototype.localeCompare = refuse('localeCompare');
  for (const name of Object.getOwnPropertyNames(Intl)) Intl[name] = new Proxy(Intl[name], { construct: refuse('Intl.' + name) });
  for (const url of ${JSON.stringify(modules.map(urlOf))}) await import(url);
  console.log('loaded');
`;

test('no endpoint and no worker uses the data of languages when it starts', async () => {
  const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program]);
  expect(stdout.trim()).toBe('loaded');
});
