import * as z from 'zod';
import { providerNames } from '../../adapters/models/provider-names.ts';
import { TenantUrl } from './tenant-url.ts';

const settingsBytesMax = 4_096;

/** USD per 1,000 tokens; an exact decimal, also where JSON writes it with an exponent. */
const PricePerThousand = z.number().min(0).max(1_000);

/** A model that the catalog does not list, or one behind another address. */
export const CustomModel = z.strictObject({
  displayName: z.string().min(1).max(200),
  inputCostPer1kTokens: PricePerThousand,
  outputCostPer1kTokens: PricePerThousand,
  maxOutputTokens: z.int().min(1).default(4_096),
  supportedResponseFormats: z.array(z.string().min(1).max(50)).max(10).default(['text', 'JSON']),
  supportsStreaming: z.boolean().default(true),
  executorProvider: z.enum(providerNames).optional().meta({
    description: 'The provider whose protocol and keys are used. Default: `provider`',
  }),
  executorConfig: z
    .strictObject({
      baseURL: TenantUrl.optional().meta({
        description: 'The server. It never gets a key of the deployment, and must be a public address',
      }),
      modelMapping: z.string().min(1).max(200).optional().meta({
        description: 'The name of the model that is sent to the provider. Default: `modelId`',
      }),
    })
    .optional(),
});

/** The settings of a model config. Further members are kept as they are. */
export const ConfigSettings = z
  .looseObject({
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.int().min(1).optional(),
    customModel: CustomModel.optional(),
  })
  .refine((settings) => Buffer.byteLength(JSON.stringify(settings)) <= settingsBytesMax, {
    message: `Settings have at most ${settingsBytesMax} bytes as JSON`,
    params: { code: 'TOO_BIG' },
  });
export type ConfigSettings = z.infer<typeof ConfigSettings>;
