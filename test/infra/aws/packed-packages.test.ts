import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { packedPackages } from '../../../infra/aws/lambdas/packed-packages.ts';

const bundled = async (contents: string) => {
  const alias = await packedPackages();
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    alias,
    write: false,
    metafile: true,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    outdir: 'out',
  });
  const contained = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
  );
  const inputs = Object.keys(metafile.inputs);
  return { text: outputFiles.map(({ text }) => text).join(''), inputs, contained };
};

test('a bundle has of a packed package what it imports, from few files', async () => {
  const { text, inputs, contained } = await bundled(
    "import { EncryptCommand } from '@aws-sdk/client-kms'; console.log(EncryptCommand)",
  );
  expect(text).toContain('TrentService');
  const kms = contained.filter((path) => path.includes('client-kms/')).map((path) => basename(path));
  expect(kms).toEqual(['EncryptCommand.mjs']);
  expect(inputs.length).toBeLessThan(60);
  expect(inputs.filter((path) => !path.includes('packed-packages') && path !== '<stdin>')).toEqual([]);
}, 120_000);

test('packed packages share their modules, and zod with the project', async () => {
  const { text, inputs } = await bundled(`import { APICallError } from '@ai-sdk/provider';
    import * as z from 'zod';
    const { createOpenAI } = await import('@ai-sdk/openai');
    console.log(APICallError, createOpenAI, z.string);`);
  expect(text.split('AI_APICallError').length - 1).toBe(1);
  const packed = await Promise.all(
    inputs.filter((path) => path.includes('packed-packages')).map((path) => readFile(path, 'utf8')),
  );
  expect(packed.join('')).toContain('createOpenAI');
  expect(packed.join('')).toMatch(/from"zod\/v4"/);
}, 120_000);
