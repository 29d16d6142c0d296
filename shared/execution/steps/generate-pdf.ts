import { safeFilename } from '../../adapters/assets/filename.ts';
import { pdfPage } from '../../adapters/pdf/page.ts';
import { renderPdf } from '../../adapters/pdf/render-pdf.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { valueAt } from '../../core/json/json.ts';
import { type Config, generatePdfStep } from '../../domain/flows/step-types/generate-pdf.ts';
import { defineStepRunner, type StepRun } from '../step-support/step-runner.ts';
import { storedAsset } from './store-asset.ts';

const charactersMax = 1_000_000;

export const generatePdf = defineStepRunner(generatePdfStep, {
  async run(step) {
    const { config, render, ports, signal } = step;
    const filename = safeFilename(pdfName(await render(config.filename ?? 'document.pdf')));
    const bytes = await renderPdf(await sourceOf(step, filename), ports.sandbox, signal);
    const { visibility = 'private' } = config;
    return {
      output: await storedAsset(ports.assets, {
        bytes,
        filename,
        contentType: 'application/pdf',
        visibility,
      }),
    };
  },
});

const pdfName = (name: string) => (/\.pdf$/i.test(name.trim()) ? name : `${name.trim()}.pdf`);

async function sourceOf({ config, variables, render, since }: StepRun<Config>, filename: string) {
  const { html, markdown = '', pdfOptions = {} } = config;
  const text = await render(html ?? markdown);
  if (text.length > charactersMax) {
    throw new StepError(`The document has ${text.length} characters; the maximum is ${charactersMax}`);
  }
  // The time of the run, so that a repeated step creates the same file.
  const started = new Date(String(valueAt(variables, '_execution.timestamp'))).getTime();
  return {
    text,
    isMarkdown: html === undefined,
    title: filename.replace(/\.pdf$/i, ''),
    page: pdfPage(pdfOptions),
    createdAt: Number.isNaN(started) ? since.getTime() : started,
  };
}
