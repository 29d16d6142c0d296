import * as z from 'zod';
import { unused } from '../chat/chat-request.ts';

const { user, safety_identifier, metadata } = unused;

/** As many as OpenAI takes. */
const textsMax = 2_048;

const tokensMax = 8_192;

const Tokens = z.array(z.int()).min(1).max(tokensMax);

export const EmbeddingsBody = z
  .strictObject({
    model: z.string().min(1).max(255).meta({
      description:
        '`default`, the id of a model config, `<provider>/<modelId>` or a model of the catalog. `default` is the tenant’s model for embeddings',
    }),
    input: z
      .union([
        z.string().min(1),
        z.array(z.string().min(1)).min(1).max(textsMax),
        Tokens,
        z.array(Tokens).min(1).max(textsMax),
      ])
      .meta({
        description: `A text, or up to ${textsMax} texts. Tokens are refused: this service does not have the tokenizers of all models`,
      }),
    encoding_format: z.enum(['float', 'base64']).nullish(),
    dimensions: z.int().min(1).max(65_536).nullish(),
    user,
    safety_identifier,
    metadata,
  })
  .meta({ id: 'OpenAiEmbeddingRequest', examples: [{ model: 'default', input: ['Eldoret', 'Oslo'] }] });
export type EmbeddingsBody = z.infer<typeof EmbeddingsBody>;

export const EmbeddingList = z
  .object({
    object: z.literal('list'),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z
          .union([z.array(z.number()), z.string()])
          .meta({ description: 'As base64: 32-bit floating-point numbers, little-endian' }),
      }),
    ),
    model: z.string(),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  })
  .meta({
    id: 'OpenAiEmbeddingList',
    examples: [
      {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.12, -0.4] }],
        model: 'openai/text-embedding-3-small',
        usage: { prompt_tokens: 2, total_tokens: 2 },
      },
    ],
  });
