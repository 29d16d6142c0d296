import { expect, test } from 'vitest';
import { pdfPage } from '../../../../shared/adapters/pdf/page.ts';
import { renderPdf } from '../../../../shared/adapters/pdf/render-pdf.ts';
import { readPdf } from '../../../support/files/pdf.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const render = (text: string) =>
  renderPdf(
    { text, isMarkdown: false, title: 'T', page: pdfPage({}), createdAt: 0 },
    testSandbox,
    new AbortController().signal,
    30,
  );

test('300,000 paragraphs end in an error that says so, and the next document is unharmed', async () => {
  const [failure, next] = await Promise.all([
    stepFailure(render('<p>x'.repeat(300_000))),
    render('<p>fine</p>').then(readPdf),
  ]);
  expect(failure).toMatchObject({
    message: 'The PDF could not be created: the document takes too much memory to lay out',
    retryable: false,
  });
  expect(next.text).toBe('fine');
});
