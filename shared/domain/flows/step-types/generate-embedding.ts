import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const EmbeddingModelName = nameUpTo(255).meta({
  description:
    'The id of a model config, `<provider>/<modelId>`, such as openai/text-embedding-3-small, or a model id from the catalog',
});

export const GenerateEmbeddingConfig = z
  .strictObject({
    inputSource: z.enum(['text', 'variable']).optional().meta({
      description: 'Where the input comes from. Default: whichever of text and inputVariable is given',
    }),
    text: Template.min(1).optional(),
    inputVariable: VariablePath.optional().meta({
      description:
        'Names a variable with a text, or a list of up to 500. Values other than text are embedded as JSON',
    }),
    embeddingModel: EmbeddingModelName,
    ...commonConfig,
  })
  .superRefine(({ inputSource, text, inputVariable }, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((text === undefined) === (inputVariable === undefined)) {
      refuse('text', 'Give either text or inputVariable');
    } else if (inputSource && (inputSource === 'text') !== (text !== undefined)) {
      refuse(
        'inputSource',
        `Expected ${text === undefined ? 'variable' : 'text'}, because that member is given`,
      );
    }
  });

const Vector = z.array(z.number());

export const generateEmbeddingStep = defineStepType({
  type: 'generate-embedding',
  summary: 'Embed a text or a list of texts as vectors',
  config: GenerateEmbeddingConfig,
  output: z.union([Vector, z.array(Vector)]),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: true,
  permission: null,
});
