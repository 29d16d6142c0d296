import * as z from 'zod';
import { Metadata, RecordName, RecordType } from '../../records/record.ts';
import { valueAt } from '../json.ts';
import { defineStep, StepError } from '../step.ts';
import { Template } from '../templates.ts';
import { plainMembers, VariablePath } from './members.ts';

export const upsertRecordStep = defineStep({
  type: 'upsert-record',
  summary: 'Create a record, or replace the metadata of the one with that type and name',
  config: z.strictObject({
    recordType: RecordType,
    recordName: Template.optional().meta({
      description: 'The record’s name; without it, the object’s `name`',
    }),
    sourceVariable: VariablePath.meta({ description: 'Holds the object that becomes the metadata' }),
    ...plainMembers,
  }),
  output: z.object({ id: z.string(), type: z.string(), name: z.string(), metadata: Metadata }),
  effects: true,
  takesSecrets: false,
  permission: 'RECORDS:WRITE',
  async run({ config, variables, render, ports }) {
    const { recordType: type, recordName, sourceVariable } = config;
    const source = objectIn(variables, sourceVariable);
    const { name: ownName, ...rest } = source;
    const given = recordName === undefined ? ownName : (await render(recordName)).trim();
    const name = RecordName.safeParse(typeof given === 'number' ? String(given) : given);
    if (!name.success) {
      throw new StepError(
        `A record needs a name of 1 to 500 characters; there is none in ${recordName ?? `${sourceVariable}.name`}`,
      );
    }
    const metadata = recordName === undefined ? rest : source;
    const { id } = await ports.records.upsert({ type, name: name.data, metadata });
    return { output: { id, type, name: name.data, metadata } };
  },
});

function objectIn(variables: object, path: string): z.infer<typeof Metadata> {
  const value = valueAt(variables, path);
  if (value === undefined) throw new StepError(`The variable ${path} is not set`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as z.infer<typeof Metadata>;
  throw new StepError(`The variable ${path} holds no JSON object`);
}
