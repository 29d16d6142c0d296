import * as z from 'zod';
import { contentArea, formats, length, pdfPage } from '../../../adapters/pdf/page.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';
import { AssetOutput, Visibility } from './store-asset.ts';

/** Smaller pages have no room for a line of text. */
const roomMinPoints = 72;

const Length = z.union([
  z.number().min(0).max(2_000),
  z.string().regex(length, 'Expected a number with one of the units pt, px, mm, cm and in'),
]);

const PdfOptions = z
  .strictObject({
    format: z.enum(formats).optional().meta({ description: 'Default: A4' }),
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
        description: 'Pixels, or text with a unit such as 20mm, for all sides or for each. Default: 20mm',
      }),
  })
  .refine(
    (options) => {
      const { width, height } = contentArea(pdfPage(options));
      // The schema has already rejected an invalid margin.
      return !(Math.min(width, height) < roomMinPoints);
    },
    { path: ['margin'], message: 'The margins leave less than an inch of the page; make them smaller' },
  );

export const GeneratePdfConfig = z
  .strictObject({
    html: Template.min(1).optional().meta({
      description: 'Images only as data: URLs with PNG or JPEG; styles only in `style` attributes of text',
    }),
    markdown: Template.min(1).optional(),
    filename: Template.min(1).optional().meta({ description: 'Default: document.pdf' }),
    visibility: Visibility,
    pdfOptions: PdfOptions.optional(),
    ...commonConfig,
  })
  .refine(({ html, markdown }) => (html === undefined) !== (markdown === undefined), {
    path: ['html'],
    message: 'Give either html or markdown',
  });
export type GeneratePdfConfig = z.infer<typeof GeneratePdfConfig>;

export const generatePdfStep = defineStepType({
  type: 'generate-pdf',
  summary: 'Create a PDF from HTML or Markdown and store it as a file',
  config: GeneratePdfConfig,
  output: AssetOutput,
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
