import * as z from 'zod';
import { Metadata } from '../../records/record.ts';
import { defineStep } from '../step.ts';
import { plainMembers } from './members.ts';
import { checkSelector, selectorMembers, selectorOf } from './record-selector.ts';

/** What a flow sees of a record. */
export const SeenRecord = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  metadata: Metadata,
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const retrieveRecordStep = defineStep({
  type: 'retrieve-record',
  summary: 'Find a record; the output is null where there is none',
  config: z.strictObject({ ...selectorMembers, ...plainMembers }).superRefine(checkSelector),
  output: SeenRecord.nullable(),
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:READ',
  async run(step) {
    const { selector } = await selectorOf(step);
    return { output: (selector && (await step.ports.records.find(selector))) ?? null };
  },
});
