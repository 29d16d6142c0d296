import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { assetStore } from '../../../../shared/adapters/assets/asset-store.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { readPdf } from '../../../support/files/pdf.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { configProblems, runStep } from './run-step.ts';
import '../../../support/stack/stack.ts';

interface Asset {
  assetId: string;
  url: string;
  filename: string;
  contentType: string;
  size: number;
  expiresAt: string | null;
}

const owner = () => ({ tenant: `user:${randomUUID()}`, runId: newId('exec') });
async function generated(config: object, variables: object = {}, who = owner()) {
  const { output } = await runStep('generate-pdf', config, {
    variables: { ...variables },
    ports: { assets: assetStore(who) },
  });
  return output as Asset;
}
const download = async ({ url }: Asset) => new Uint8Array(await (await fetch(url)).arrayBuffer());

test('creates a PDF from HTML and stores it as a private file', async () => {
  const asset = await generated(
    {
      html: '<h1>Invoice {{ no }}</h1><p>For {{ name | escape }}</p>',
      filename: 'invoice-{{ no }}',
      pdfOptions: { format: 'Letter', landscape: true, margin: { left: '1in' } },
    },
    { no: 7, name: 'A & <B>' },
  );
  const bytes = await download(asset);
  expect(asset).toEqual({
    assetId: expect.stringMatching(/^asset_\w{26}$/),
    url: expect.stringContaining('X-Amz-Signature='),
    filename: 'invoice-7.pdf',
    contentType: 'application/pdf',
    size: bytes.length,
    expiresAt: expect.any(String),
  });
  const { pages, info } = await readPdf(bytes);
  expect(pages).toMatchObject([{ width: 792, height: 612, text: 'Invoice 7 For A & <B>' }]);
  expect(pages[0]?.places[0]?.x).toBe(72);
  expect(info.Title).toBe('invoice-7');
});

test('creates a PDF from Markdown, public if configured', async () => {
  const asset = await generated(
    { markdown: '# Plan\n\n- {{ item }}', visibility: 'public' },
    { item: 'do it' },
  );
  expect(asset).toMatchObject({ filename: 'document.pdf', expiresAt: null });
  expect(new URL(asset.url).search).toBe('');
  const { pages } = await readPdf(await download(asset));
  expect(pages).toMatchObject([{ width: 595, height: 842, text: 'Plan do it' }]);
});

test('a repeated step creates the same file', async () => {
  const who = owner();
  const variables = { _execution: { id: who.runId, timestamp: '2026-02-03T04:05:06.000Z' } };
  const one = await generated({ html: '<p>x</p>' }, variables, who);
  const other = await generated({ html: '<p>x</p>' }, variables, who);
  expect(other.assetId).toBe(one.assetId);
  expect((await readPdf(await download(one))).info.CreationDate).toContain('20260203040506');
});

test.each([
  ['report.PDF', 'report.PDF'],
  ['../../report', '.._.._report.pdf'],
  ['Bericht – März ', 'Bericht – März.pdf'],
])('the name %j becomes %j', async (filename, name) => {
  expect((await generated({ html: '<p>x</p>', filename })).filename).toBe(name);
});

test.each([
  [{ html: '{{ long }}' }, 'The document has 1000001 characters; the maximum is 1000000'],
  [{ html: '<div>'.repeat(18_000) }, 'The PDF could not be created: the document is nested too deeply'],
  [{ html: '<p>x</p>', filename: 'x'.repeat(300) }, 'A filename has at most 255 bytes'],
])('%#: an invalid document fails permanently', async (config, message) => {
  const failure = await stepFailure(generated(config, { long: 'x'.repeat(1_000_001) }));
  expect(failure.message).toContain(message);
  expect(failure.retryable).toBe(false);
});

const html = '<p>x</p>';
test.each([
  [{}, 'html: Give either html or markdown'],
  [{ html, markdown: 'x' }, 'html: Give either html or markdown'],
  [{ html: '{% if %}' }, expect.stringContaining('html: ')],
  [{ html, pdfOptions: { format: 'B5' } }, expect.stringContaining('pdfOptions.format: ')],
  [{ html, pdfOptions: { landscape: 'yes' } }, expect.stringContaining('pdfOptions.landscape: ')],
  [{ html, pdfOptions: { margin: '1 foot' } }, expect.stringContaining('pdfOptions.margin: ')],
  [{ html, pdfOptions: { margin: -1 } }, expect.stringContaining('pdfOptions.margin: ')],
  [
    { html, pdfOptions: { margin: '10cm' } },
    'pdfOptions.margin: The margins leave less than an inch of the page; make them smaller',
  ],
  [
    { html, pdfOptions: { format: 'A6', margin: { left: '3in', right: '2in' } } },
    'pdfOptions.margin: The margins leave less than an inch of the page; make them smaller',
  ],
  [{ html, pdfOptions: { scale: 2 } }, expect.stringContaining('scale')],
  [{ html, visibility: 'shared' }, expect.stringContaining('visibility: ')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('generate-pdf', config)).toEqual([problem]);
});
