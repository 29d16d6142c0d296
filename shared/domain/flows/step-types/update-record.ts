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
          'Metadata. Texts in it are templates; one that is a single {{ reference }} keeps its type',
      }),
      mergeStrategy: z.enum(strategies).optional().meta({
        description:
          'merge, without it: each key replaces the record’s. deep-merge: objects are merged, lists replaced, null clears. replace: nothing else is left',
      }),
      ...commonConfig,
    })
    .superRefine(checkSelector),
  output: SeenRecord,
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:WRITE',
});
