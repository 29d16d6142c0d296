import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const Visibility = z.enum(['public', 'private']).optional().meta({
  description:
    'public: anyone who knows the address. private: by a signed address that ends. private without it',
});

/** What the steps that make files give. */
export const AssetOutput = z.object({
  assetId: z.string(),
  url: z.string(),
  filename: z.string(),
  contentType: z.string(),
  size: z.int(),
  expiresAt: z.iso.datetime().nullable(),
});

export const Config = z
  .strictObject({
    url: Template.min(1).optional().meta({ description: 'Where the file is fetched from' }),
    content: Template.min(1)
      .optional()
      .meta({ description: 'The file itself, as base 64 or as a data: URL' }),
    filename: Template.min(1).optional().meta({ description: 'Without it, the last part of the url' }),
    contentType: Template.min(1).optional().meta({
      description: 'Without it, what the server says, else what the filename’s ending means',
    }),
    visibility: Visibility,
    ...commonConfig,
  })
  .refine(({ url, content }) => (url === undefined) !== (content === undefined), {
    path: ['url'],
    message: 'Give either url or content',
  })
  .refine(({ content, filename }) => content === undefined || filename !== undefined, {
    path: ['filename'],
    message: 'Required: content brings no name along',
  });
export type Config = z.infer<typeof Config>;

export const storeAssetStep = defineStepType({
  type: 'store-asset',
  summary: 'Keep a file of up to 25 MB, and give its address',
  config: Config,
  output: AssetOutput,
  effects: true,
  takesSecrets: false,
  permission: null,
});
