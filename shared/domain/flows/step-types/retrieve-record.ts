import * as z from 'zod';
import { Metadata } from '../../records/record.ts';
import { commonConfig } from '../steps/common-config.ts';
import { checkSelector, selectorMembers } from '../steps/selector-config.ts';
import { defineStepType } from '../steps/step.ts';

export const SeenRecord = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  metadata: Metadata,
  createdAt: z.string(),
  updatedAt: z.string(),
});

export const retrieveRecordStep = defineStepType({
  type: 'retrieve-record',
  summary: 'Find a record; the output is null if there is none',
  config: z.strictObject({ ...selectorMembers, ...commonConfig }).superRefine(checkSelector),
  output: SeenRecord.nullable(),
  effects: true,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: 'RECORDS:READ',
});
