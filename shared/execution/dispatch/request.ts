import * as z from 'zod';
import type { DetailCode } from '../../core/error-codes.ts';
import { idOf } from '../../core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../core/name.ts';
import { FlowStepsInput } from '../../domain/flows/checking/flow-steps.ts';
import { VariableName } from '../../domain/flows/steps/common-config.ts';
import { NewMetadata } from '../../domain/records/limits.ts';
import { RecordName, RecordType } from '../../domain/records/record.ts';

const DispatchedFlow = z.strictObject({
  id: idOf('flow').optional().meta({ description: 'A stored flow' }),
  name: nameUpTo(255).optional(),
  description: z.string().max(2_000).refine(wellFormed, wellFormedOnly).nullable().optional(),
  steps: FlowStepsInput.optional().meta({
    description: 'An inline flow. Together with `id`: run in place of the stored flow’s own steps',
  }),
});

const DispatchedRecord = z.strictObject({
  id: idOf('record').optional().meta({ description: 'A stored record; give nothing else with it' }),
  type: RecordType.optional(),
  name: RecordName.optional(),
  metadata: NewMetadata.optional(),
});

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const Options = z.strictObject({
  streamResponse: z
    .boolean()
    .default(true)
    .meta({ description: 'Server-sent events; false: one JSON answer' }),
  flowMode: z.enum(['existing', 'create', 'upsert', 'virtual']).optional().meta({
    description:
      'What becomes of an inline flow. virtual (without it): it is run and not kept. create: it is saved and published. upsert: the flow of that name is brought to these steps, or made',
  }),
  recordMode: z.enum(['existing', 'create', 'virtual']).optional().meta({
    description:
      'What becomes of an inline record. virtual (without it): only the run sees it. create: it is saved; existing: the stored one of that type and name is meant',
  }),
  storeResults: z.boolean().optional().meta({
    description: 'Whether step results are kept. Without it they are where the flow or the record is stored',
  }),
  autoAppendMetadata: z.boolean().default(false).meta({
    description: 'Whether the output variables are merged into the stored record’s metadata in the end',
  }),
  modelOverride: nameUpTo(255).optional().meta({ description: 'In place of the model of every prompt' }),
  debugMode: z.boolean().default(false).meta({ description: 'Shows the resolved prompts' }),
  upsertOptions: z
    .strictObject({
      createVersionOnChange: z
        .boolean()
        .default(true)
        .meta({ description: 'Whether changed steps are published; else they stay in the draft' }),
      allowOverwriteExternalChanges: z
        .boolean()
        .default(false)
        .meta({ description: 'Whether steps that were not sent by an upsert are written over; else 409' }),
    })
    .prefault({}),
});

const inputsMax = 1_000;

const example = {
  flow: {
    name: 'Greet',
    steps: [
      {
        type: 'prompt',
        name: 'Greeting',
        config: { model: 'gpt-5-mini', userPrompt: 'Greet {{ person }} in one sentence.' },
      },
    ],
  },
  inputs: { person: 'Ada' },
};

export const DispatchBody = z
  .strictObject({
    flow: DispatchedFlow.optional(),
    record: DispatchedRecord.optional(),
    inputs: z
      .record(VariableName, z.unknown())
      .refine((inputs) => Object.keys(inputs).length <= inputsMax, `A run takes ${inputsMax} inputs at most`)
      .optional()
      .meta({ description: `Variables that the run begins with, ${inputsMax} at most` }),
    messages: z
      .array(
        z.strictObject({
          role: z.enum(['user', 'assistant', 'system']),
          content: z.union([z.string(), z.array(TextPart)]),
        }),
      )
      .max(1_000)
      .optional()
      .meta({ description: 'The variable `messages`' }),
    options: Options.prefault({}),
  })
  .superRefine(({ flow, record, options }, context) => {
    const refuse = (path: string[], message: string, code: DetailCode = 'INVALID_VALUE') =>
      context.addIssue({ code: 'custom', params: { code }, path, message });
    if (!flow && !record) {
      return refuse(
        ['flow'],
        'Required: expected a flow, and a record if it needs one',
        'MISSING_REQUIRED_FIELD',
      );
    }
    const { flowMode, recordMode, autoAppendMetadata, storeResults } = options;
    if (flowMode === 'existing' && !flow?.id) refuse(['flow', 'id'], 'flowMode existing needs the flow’s id');
    if ((flowMode === 'create' || flowMode === 'upsert') && flow && (flow.id || !flow.name)) {
      refuse(['flow', flow.id ? 'id' : 'name'], `flowMode ${flowMode} needs a name and steps, and no id`);
    }
    if (record?.id && Object.keys(record).length > 1) {
      refuse(['record'], 'A stored record is named by its id alone');
    }
    const recordIsStored = record && (record.id || recordMode === 'create' || recordMode === 'existing');
    if (record && !record.id && recordIsStored && !(record.type && record.name)) {
      refuse(['record', record.type ? 'name' : 'type'], `recordMode ${recordMode} needs a type and a name`);
    }
    if (autoAppendMetadata && !recordIsStored) {
      refuse(['options', 'autoAppendMetadata'], 'Only a stored record keeps metadata');
    }
    const flowIsStored = flow?.id || flowMode === 'create' || flowMode === 'upsert';
    if (storeResults && !recordIsStored && !flowIsStored) {
      refuse(['options', 'storeResults'], 'Results are kept with a stored flow or a stored record');
    }
  })
  .meta({ examples: [example] });
export type DispatchBody = z.output<typeof DispatchBody>;
