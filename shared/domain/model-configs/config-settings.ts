import * as z from 'zod';
import { providerNames } from '../../adapters/models/providers/provider-names.ts';
import { isDeeperThan } from '../../core/json/nesting.ts';
import { PromptCaching } from './prompt-caching.ts';
import { TenantUrl } from './tenant-url.ts';

const settingsBytesMax = 4_096;
/** An attribute of the table has at most 32 levels. */
const settingsLevelsMax = 30;

/** USD per 1,000 tokens. */
const PricePerThousand = z.number().min(0).max(1_000);

const createSettings = (baseURL: z.ZodType<string>) =>
  z.looseObject({
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.int().min(1).optional(),
    promptCaching: PromptCaching.optional(),
    customModel: z
      .strictObject({
        displayName: z.string().min(1).max(200),
        category: z.enum(['language', 'embedding']).optional().meta({
          description:
            'What the model makes: texts, or vectors for memories, collections and searches. Default: language',
        }),
        dimensions: z.int().min(1).max(4_096).optional().meta({
          description:
            'For an embedding model: the length of the vectors to ask for. Only for a server that takes it. Default: that of the model',
        }),
        inputCostPer1kTokens: PricePerThousand,
        outputCostPer1kTokens: PricePerThousand,
        maxOutputTokens: z.int().min(1).default(4_096).meta({
          description:
            'The longest response in tokens. Each request asks for no more, and forecasts and budgets count with it',
        }),
        supportedResponseFormats: z.array(z.string().min(1).max(50)).max(10).default(['text', 'JSON']),
        supportsStreaming: z.boolean().default(true),
        executorProvider: z.enum(providerNames).optional().meta({
          description: 'The provider whose protocol and keys are used. Default: `provider`',
        }),
        executorConfig: z
          .strictObject({
            baseURL: baseURL.optional().meta({
              description:
                'The server. It never gets a key of the deployment, and must be a public https address',
            }),
            modelMapping: z.string().min(1).max(200).optional().meta({
              description: 'The name of the model that is sent to the provider. Default: `modelId`',
            }),
          })
          .optional(),
      })
      .optional()
      .meta({ description: 'A model that the catalog does not list, or one behind another address' }),
  });

/** The settings of a model config in requests. Further members are kept as they are. */
export const ConfigSettings = createSettings(TenantUrl)
  .refine((settings) => Buffer.byteLength(JSON.stringify(settings)) <= settingsBytesMax, {
    message: `Settings have at most ${settingsBytesMax} bytes as JSON`,
    params: { code: 'TOO_BIG' },
  })
  .refine((settings) => !isDeeperThan(settingsLevelsMax, settings), {
    message: `Settings are nested at most ${settingsLevelsMax} levels deep`,
    params: { code: 'TOO_DEEP' },
  });
export type ConfigSettings = z.infer<typeof ConfigSettings>;

/** The same as stored: readable whichever addresses are allowed by now. */
export const StoredSettings = createSettings(z.string());
