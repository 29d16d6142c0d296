import type * as z from 'zod';
import { StepError } from '../../core/errors/step-error.ts';
import { readPath } from '../../core/json/json.ts';
import { upsertRecordStep } from '../../domain/flows/step-types/upsert-record.ts';
import { type Metadata, RecordName } from '../../domain/records/record.ts';
import { defineActingRunner } from '../step-support/step-runner.ts';

export const upsertRecordRunner = defineActingRunner(upsertRecordStep, {
  async plan({ config, variables, render }) {
    const { recordType: type, recordName, sourceVariable } = config;
    const source = getObject(variables, sourceVariable);
    const { name: ownName, ...rest } = source;
    const value = recordName === undefined ? ownName : (await render(recordName)).trim();
    const name = RecordName.safeParse(
      typeof value === 'number' || typeof value === 'bigint' ? String(value) : value,
    );
    if (!name.success) {
      throw new StepError(
        `A record name has 1 to 500 characters; set ${recordName ?? `${sourceVariable}.name`}`,
      );
    }
    const metadata = recordName === undefined ? rest : source;
    return { request: { type, name: name.data, metadata } };
  },

  async perform(record, { ports }) {
    const { id } = await ports.records.upsert(record);
    return { output: { id, ...record } };
  },
});

function getObject(variables: object, path: string): z.infer<typeof Metadata> {
  const value = readPath(variables, path);
  if (value === undefined) throw new StepError(`The variable ${path} is not set`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as z.infer<typeof Metadata>;
  throw new StepError(`The variable ${path} must contain a JSON object`);
}
