import * as z from 'zod';
import { safeFilename } from '../../assets/filename.ts';
import { formats, length, pageOf, roomOf } from '../../pdf/page.ts';
import { valueAt } from '../json.ts';
import { defineStep, StepError, type StepRun } from '../step.ts';
import { Template } from '../templates.ts';
import { plainMembers } from './members.ts';
import { AssetOutput, stored, Visibility } from './store-asset.ts';

const charactersMax = 1_000_000;
/** Less would hold no line of text. */
const roomMinPoints = 72;

const Length = z.union([
  z.number().min(0).max(2_000),
  z.string().regex(length, 'Expected a number with one of the units pt, px, mm, cm and in'),
]);

const PdfOptions = z
  .strictObject({
    format: z.enum(formats).optional().meta({ description: 'A4 without it' }),
    landscape: z.boolean().optional(),
    margin: z
      .union([
        Length,
        z.strictObject({
          top: Length.optional(),
          right: Length.optional(),
          bottom: Length.optional(),
          left: Length.optional(),
        }),
      ])
      .optional()
      .meta({
        description: 'Pixels, or text with a unit such as 20mm, for all sides or for each; 20mm without it',
      }),
  })
  .refine(
    (options) => {
      const { width, height } = roomOf(pageOf(options));
      // A margin that is none has been refused already.
      return !(Math.min(width, height) < roomMinPoints);
    },
    { path: ['margin'], message: 'The margins leave less than an inch of the page' },
  );

const Config = z
  .strictObject({
    html: Template.min(1).optional().meta({
      description: 'Images only as data: URLs of PNG or JPEG; of styles those in `style` attributes of text',
    }),
    markdown: Template.min(1).optional(),
    filename: Template.min(1).optional().meta({ description: 'document.pdf without it' }),
    visibility: Visibility,
    pdfOptions: PdfOptions.optional(),
    ...plainMembers,
  })
  .refine(({ html, markdown }) => (html === undefined) !== (markdown === undefined), {
    path: ['html'],
    message: 'Give either html or markdown',
  });
type Config = z.infer<typeof Config>;

export const generatePdfStep = defineStep({
  type: 'generate-pdf',
  summary: 'Make a PDF of HTML or Markdown, and keep it as a file',
  config: Config,
  output: AssetOutput,
  effects: true,
  takesSecrets: false,
  permission: null,
  async run(step) {
    const { config, render, ports, signal } = step;
    const filename = safeFilename(pdfName(await render(config.filename ?? 'document.pdf')));
    const { renderPdf } = await import('../../pdf/render-pdf.ts');
    const bytes = await renderPdf(await sourceOf(step, filename), ports.sandbox, signal);
    const { visibility = 'private' } = config;
    return {
      output: await stored(ports.assets, { bytes, filename, contentType: 'application/pdf', visibility }),
    };
  },
});

const pdfName = (name: string) => (/\.pdf$/i.test(name.trim()) ? name : `${name.trim()}.pdf`);

async function sourceOf({ config, variables, render, since }: StepRun<Config>, filename: string) {
  const { html, markdown = '', pdfOptions = {} } = config;
  const text = await render(html ?? markdown);
  if (text.length > charactersMax) {
    throw new StepError(`The document has ${text.length} characters; ${charactersMax} are the most`);
  }
  // The time of the run: should the step run again, it makes the same file.
  const started = new Date(String(valueAt(variables, '_execution.timestamp'))).getTime();
  return {
    text,
    isMarkdown: html === undefined,
    title: filename.replace(/\.pdf$/i, ''),
    page: pageOf(pdfOptions),
    createdAt: Number.isNaN(started) ? since.getTime() : started,
  };
}
