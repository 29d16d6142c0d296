import * as z from 'zod';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType, type StepEvent } from '../steps/step.ts';

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export const streamEvents = {
  text: (value: unknown): StepEvent[] => [
    { type: 'text_start' },
    { type: 'text_delta', delta: toText(value) },
    { type: 'text_complete', text: toText(value) },
  ],
  json: (value: unknown): StepEvent[] => [{ type: 'custom', name: 'json', value }],
  artifact: (value: unknown): StepEvent[] => [{ type: 'custom', name: 'artifact', value }],
};
const streamTypes = Object.keys(streamEvents) as (keyof typeof streamEvents)[];

export const sendStreamStep = defineStepType({
  type: 'send-stream',
  summary: 'Stream a variable to the caller at once',
  config: z.strictObject({
    sourceVariable: VariablePath,
    streamType: z.enum(streamTypes).optional().meta({
      description: 'Default: text, as text_delta events. json and artifact: as a custom event of that name',
    }),
    ...commonConfig,
  }),
  output: z.unknown(),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
