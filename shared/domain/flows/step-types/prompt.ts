import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { fileSource, MessageImagePart } from '../../conversations/message.ts';
import { PromptCaching } from '../../model-configs/prompt-caching.ts';
import { JsonSchemaText, outputVariable } from '../steps/common-config.ts';
import { ErrorHandling } from '../steps/error-handling.ts';
import { PromptTools } from '../steps/prompt-tools.ts';
import { Reasoning } from '../steps/reasoning.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

/** The instruction for each format. Helps with providers that cannot enforce a response format. */
export const formatInstructions = {
  text: undefined,
  json: 'Answer with one valid JSON value and nothing else.',
  markdown: 'Answer in Markdown.',
  html: 'Answer with HTML and nothing else.',
  xml: 'Answer with one well-formed XML document and nothing else.',
} as const;
const formats = Object.keys(formatInstructions) as (keyof typeof formatInstructions)[];

const formatName = z
  .string()
  .toLowerCase()
  .pipe(z.enum(formats))
  .meta({ description: `${formats.join(', ')}, case-insensitive. json parses the response` });

const ResponseFormat = z.union(
  [
    formatName,
    z.strictObject({
      type: z.literal('json'),
      schema: JsonSchemaText.meta({
        description:
          'A JSON Schema (2020-12) for the response. A response that does not fit is requested once more with its errors; then the step fails',
      }),
    }),
  ],
  { error: `Expected ${formats.join(', ')}, or {type: "json", schema}` },
);

const mimeType = MessageImagePart.shape.mimeType;
const Attachment = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('image'),
    image: Template.min(1).meta({ description: fileSource }),
    mimeType,
  }),
  z.strictObject({
    type: z.literal('file'),
    data: Template.min(1).meta({ description: fileSource }),
    filename: Template.min(1).max(255),
    mimeType: mimeType.unwrap(),
  }),
]);

export const PromptConfig = z
  .strictObject({
    model: nameUpTo(255).meta({
      description:
        'The id of a model config, `default`, `<provider>/<modelId>`, or a model id from the catalog',
    }),
    userPrompt: Template.min(1).optional(),
    text: Template.min(1).optional().meta({ description: 'An alias of userPrompt' }),
    systemPrompt: Template.optional(),
    responseFormat: ResponseFormat.optional(),
    previousMessages: Template.optional().meta({
      description: 'Names a list of earlier messages {role, content}, such as {{messages}}',
    }),
    attachments: z.array(Attachment).max(20).optional().meta({
      description: 'Images and files that belong to the prompt',
    }),
    reasoning: Reasoning.optional(),
    tools: PromptTools.optional(),
    temperature: z.number().min(0).max(2).optional(),
    maxTokens: z.int().min(1).max(1_000_000).optional(),
    topP: z.number().min(0).max(1).optional(),
    topK: z.int().min(1).optional(),
    frequencyPenalty: z.number().min(-2).max(2).optional(),
    presencePenalty: z.number().min(-2).max(2).optional(),
    seed: z.int().optional(),
    promptCaching: PromptCaching.optional(),
    timeoutMs: z.int().min(1_000).max(300_000).optional().meta({ description: 'Default: 120,000' }),
    outputVariable,
    errorHandling: ErrorHandling.optional(),
  })
  .refine(({ userPrompt, text }) => (userPrompt === undefined) !== (text === undefined), {
    path: ['userPrompt'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Required: expected a prompt in userPrompt or text',
  });
export type PromptConfig = z.infer<typeof PromptConfig>;

export const promptStep = defineStepType({
  type: 'prompt',
  summary: 'Call a language model',
  config: PromptConfig,
  output: z.unknown(),
  effects: true,
  reusable: true,
  takesSecrets: 'text',
  callsModels: true,
  permission: null,
});
