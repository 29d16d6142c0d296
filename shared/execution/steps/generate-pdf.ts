import { safeFilename } from '../../adapters/assets/asset-store.ts';
import { pdfPage } from '../../adapters/pdf/page.ts';
import { renderPdf } from '../../adapters/pdf/render-pdf.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import type { Variables } from '../../core/variables.ts';
import { type GeneratePdfConfig, generatePdfStep } from '../../domain/flows/step-types/generate-pdf.ts';
import { defineActingRunner, type StepPlanning } from '../step-support/step-runner.ts';
import { storeAsset } from './store-asset.ts';

const charactersMax = 1_000_000;

export const generatePdfRunner = defineActingRunner(generatePdfStep, {
  async plan(step) {
    const { config, render } = step;
    const { visibility = 'private' } = config;
    const filename = safeFilename(toPdfName(await render(config.filename ?? 'document.pdf')));
    return { request: { ...(await toDocument(step, filename)), filename, visibility } };
  },

  async perform({ filename, visibility, ...document }, { ports, variables, since, signal }) {
    const source = { ...document, createdAt: getCreatedAt(variables, since) };
    const bytes = await renderPdf(source, ports.sandbox, signal);
    return {
      output: await storeAsset(ports.assets, {
        bytes,
        filename,
        contentType: 'application/pdf',
        visibility,
      }),
    };
  },
});

const toPdfName = (name: string) => (/\.pdf$/i.test(name.trim()) ? name : `${name.trim()}.pdf`);

async function toDocument({ config, render }: StepPlanning<GeneratePdfConfig>, filename: string) {
  const { html, markdown = '', pdfOptions = {} } = config;
  const text = await render(html ?? markdown);
  if (text.length > charactersMax) {
    throw new StepError(`The document has ${text.length} characters; the maximum is ${charactersMax}`);
  }
  return {
    text,
    isMarkdown: html === undefined,
    title: filename.replace(/\.pdf$/i, ''),
    page: pdfPage(pdfOptions),
  };
}

/** The time of the run, so that a repeated step creates the same file. */
function getCreatedAt(variables: Readonly<Variables>, since: Date): number {
  const started = new Date(String(readPath(variables, '_execution.timestamp'))).getTime();
  return Number.isNaN(started) ? since.getTime() : started;
}
