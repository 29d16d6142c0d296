import * as z from 'zod';
import { defineStep, StepError } from '../step.ts';
import { TemplatedJson } from '../templates.ts';
import { plainMembers } from './members.ts';
import { checkSelector, selectorMembers, selectorOf } from './record-selector.ts';
import { SeenRecord } from './retrieve-record.ts';

const strategies = ['merge', 'replace', 'deep-merge'] as const;

export const updateRecordStep = defineStep({
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
      ...plainMembers,
    })
    .superRefine(checkSelector),
  output: SeenRecord,
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:WRITE',
  async run(step) {
    const { updates, mergeStrategy = 'merge' } = step.config;
    const { words, selector } = await selectorOf(step);
    const filled = (await step.renderValue(updates)) as Record<string, unknown>;
    const record = selector && (await step.ports.records.update(selector, filled, mergeStrategy));
    if (record) return { output: record };
    throw new StepError(`There is no record ${words}`);
  },
});
