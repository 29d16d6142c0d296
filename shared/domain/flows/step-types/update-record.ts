import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { checkSelector, selectorMembers } from '../steps/selector-config.ts';
import { defineStepType } from '../steps/step.ts';
import { TemplatedJson } from '../steps/template-text.ts';
import { SeenRecord } from './retrieve-record.ts';

const strategies = ['merge', 'replace', 'deep-merge'] as const;

export const updateRecordStep = defineStepType({
  type: 'update-record',
  summary: 'Change the metadata of a record',
  config: z
    .strictObject({
      ...selectorMembers,
      updates: z.record(z.string().min(1), TemplatedJson).meta({
        description:
          'The metadata to write. Its texts are templates; a text that is a single {{ reference }} keeps the type of the value',
      }),
      mergeStrategy: z.enum(strategies).optional().meta({
        description:
          'merge (default): replaces each given key. deep-merge: merges objects, replaces lists, removes keys with null. replace: replaces all metadata',
      }),
      ...commonConfig,
    })
    .superRefine(checkSelector),
  output: SeenRecord,
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: 'RECORDS:WRITE',
});
