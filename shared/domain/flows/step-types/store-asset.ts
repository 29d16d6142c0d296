import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const Visibility = z.enum(['public', 'private']).optional().meta({
  description:
    'public: anyone with the URL can read the file. private: only by a signed URL that expires. Default: private',
});

/** The output of the steps that create files. */
export const AssetOutput = z.object({
  assetId: z.string(),
  url: z.string(),
  filename: z.string(),
  contentType: z.string(),
  size: z.int(),
  expiresAt: z.iso.datetime().nullable(),
});

export const StoreAssetConfig = z
  .strictObject({
    url: Template.min(1).optional().meta({ description: 'Where to fetch the file from' }),
    content: Template.min(1).optional().meta({ description: 'The file as base64, or as a data: URL' }),
    filename: Template.min(1).optional().meta({ description: 'Default: the last part of the URL' }),
    contentType: Template.min(1).optional().meta({
      description: 'Default: the content type of the response, else by the extension of the filename',
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
    message: 'Required with content',
  });
export type StoreAssetConfig = z.infer<typeof StoreAssetConfig>;

export const storeAssetStep = defineStepType({
  type: 'store-asset',
  summary: 'Store a file of up to 25 MB and return its URL',
  config: StoreAssetConfig,
  output: AssetOutput,
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
