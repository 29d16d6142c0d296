import * as z from 'zod';
import { Metadata, RecordType } from '../../records/record.ts';
import { commonConfig, VariablePath } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Template } from '../steps/template-text.ts';

export const upsertRecordStep = defineStepType({
  type: 'upsert-record',
  summary: 'Create a record, or replace the metadata of the record with that type and name',
  config: z.strictObject({
    recordType: RecordType,
    recordName: Template.optional().meta({
      description: 'The record’s name. Default: the object’s `name`',
    }),
    sourceVariable: VariablePath.meta({
      description: 'Names the variable with the object that becomes the metadata',
    }),
    ...commonConfig,
  }),
  output: z.object({ id: z.string(), type: z.string(), name: z.string(), metadata: Metadata }),
  effects: true,
  reusable: true,
  takesSecrets: false,
  callsModels: false,
  permission: 'RECORDS:WRITE',
});
