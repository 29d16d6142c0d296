import { expect, test } from 'vitest';
import { pdfPage } from '../../../../shared/adapters/pdf/page.ts';
import { renderPdf } from '../../../../shared/adapters/pdf/render-pdf.ts';
import { readPdf } from '../../../support/files/pdf.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const source = (text: string) => ({ text, isMarkdown: false, title: 'T', page: pdfPage({}), createdAt: 0 });
const render = (text: string, { signal = new AbortController().signal, secondsMax = 30 } = {}) =>
  renderPdf(source(text), testSandbox, signal, secondsMax);
const textOf = async (text: string) => (await readPdf(await render(text))).text;

test('concurrent documents are all created', async () => {
  const texts = ['<p>one</p>', '<p>two</p>', '<p>three</p>'];
  expect(await Promise.all(texts.map(textOf))).toEqual(['one', 'two', 'three']);
});

test.each([
  ['elements nested 100,000 deep', '<div>'.repeat(100_000), 'the document is nested too deeply'],
  [
    'a table of 61 columns',
    `<table><tr>${'<td>x'.repeat(61)}</table>`,
    'a table has 61 columns; the maximum is 60',
  ],
])('%s end in an error that says so, and the next document is unharmed', async (_, html, reason) => {
  const [failure, next] = await Promise.all([stepFailure(render(html)), textOf('<p>fine</p>')]);
  expect(failure).toMatchObject({ message: `The PDF could not be created: ${reason}`, retryable: false });
  expect(next).toBe('fine');
});

test('a document that takes too long ends in an error that says so', async () => {
  const failure = await stepFailure(render('a '.repeat(400_000), { secondsMax: 1 }));
  expect(failure.message).toBe(
    'The PDF could not be created: the document takes more than 1 seconds to lay out',
  );
});

test('an aborted run does not wait for its document', async () => {
  const run = new AbortController();
  const rendering = render('<br>'.repeat(200_000), { signal: run.signal });
  setTimeout(() => run.abort(new Error('called off')), 300);
  await expect(rendering).rejects.toThrow('called off');
});
