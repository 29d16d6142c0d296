import * as z from 'zod';
import { contentAreaOf, formats, length, pageOf } from '../../../adapters/pdf/page.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';
import { AssetOutput, Visibility } from './store-asset.ts';

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
      const { width, height } = contentAreaOf(pageOf(options));
      // A margin that is none has been refused already.
      return !(Math.min(width, height) < roomMinPoints);
    },
    { path: ['margin'], message: 'The margins leave less than an inch of the page' },
  );

export const Config = z
  .strictObject({
    html: Template.min(1).optional().meta({
      description: 'Images only as data: URLs of PNG or JPEG; of styles those in `style` attributes of text',
    }),
    markdown: Template.min(1).optional(),
    filename: Template.min(1).optional().meta({ description: 'document.pdf without it' }),
    visibility: Visibility,
    pdfOptions: PdfOptions.optional(),
    ...commonConfig,
  })
  .refine(({ html, markdown }) => (html === undefined) !== (markdown === undefined), {
    path: ['html'],
    message: 'Give either html or markdown',
  });
export type Config = z.infer<typeof Config>;

export const generatePdfStep = defineStepType({
  type: 'generate-pdf',
  summary: 'Make a PDF of HTML or Markdown, and keep it as a file',
  config: Config,
  output: AssetOutput,
  effects: true,
  takesSecrets: false,
  permission: null,
});
