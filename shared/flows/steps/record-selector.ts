import * as z from 'zod';
import { idOf } from '../../ids.ts';
import { filterSchema, RecordFilter } from '../../records/filter.ts';
import { RecordName, RecordType } from '../../records/record.ts';
import type { RecordSelector } from '../ports.ts';
import { StepError, type StepRun } from '../step.ts';
import { isTemplated, Template, TemplatedJson } from '../templates.ts';

const text = Template.min(1).optional();
const another = (name: string) => text.meta({ description: `Another name of ${name}` });

/** The ways in which a step names one record. */
export const selectorMembers = {
  id: text.meta({ description: 'The record’s id' }),
  recordId: another('id'),
  recordType: text.meta({ description: 'With recordName: the record of this type and name' }),
  type: another('recordType'),
  recordName: text,
  name: another('recordName'),
  recordFilter: z
    .strictObject({
      type: Template.min(1),
      where: filterSchema({ Value: TemplatedJson, isOpen: isTemplated }).optional(),
    })
    .optional()
    .meta({
      description:
        'The record of the type that changed last among those that `where` means: a condition or groups of them, whose values may be templates. Looks through 10,000 records at most',
    }),
};
type Members = { [Name in keyof typeof selectorMembers]?: z.infer<(typeof selectorMembers)[Name]> };

/** Refuses a config that names its record in no way, in two ways, or by half. */
export function checkSelector(config: Members, context: z.RefinementCtx): void {
  const refuse = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [one, other] of aliases) {
    if (config[one] !== undefined && config[other] !== undefined)
      refuse([other], `Give either ${one} or ${other}, which is another name of it`);
  }
  const { id, type, name, filter } = asked(config);
  const ways = [id, type ?? name, filter].filter((way) => way !== undefined).length;
  if (ways !== 1)
    refuse([], 'Name the record either by id, or by recordType and recordName, or by recordFilter');
  else if ((type === undefined) !== (name === undefined))
    refuse([type === undefined ? 'recordType' : 'recordName'], 'recordType and recordName belong together');
}

const aliases = [
  ['id', 'recordId'],
  ['recordType', 'type'],
  ['recordName', 'name'],
] as const;

const asked = ({ id, recordId, recordType, type, recordName, name, recordFilter }: Members) => ({
  id: id ?? recordId,
  type: recordType ?? type,
  name: recordName ?? name,
  filter: recordFilter,
});

/** The record that a step names, in words, and as the records port takes it: nothing where no record can be called so. */
type Filling = Pick<StepRun<Members>, 'config' | 'render' | 'renderValue'>;

export async function selectorOf(step: Filling): Promise<{
  words: string;
  selector: RecordSelector | undefined;
}> {
  const { id, type, name, filter } = asked(step.config);
  if (filter) return byFilter(filter, step);
  const render = async (template = '') => (await step.render(template)).trim();
  if (id !== undefined) {
    const given = await render(id);
    const known = idOf('record').safeParse(given).success;
    return { words: `with the id "${given}"`, selector: known ? { id: given } : undefined };
  }
  const pair = { type: await render(type), name: await render(name) };
  const words = `of the type "${pair.type}" with the name "${pair.name}"`;
  const known = RecordType.safeParse(pair.type).success && RecordName.safeParse(pair.name).success;
  return { words, selector: known ? pair : undefined };
}

async function byFilter({ type, where }: NonNullable<Members['recordFilter']>, step: Filling) {
  const given = (await step.render(type)).trim();
  const filter = where && (await filled(where, step));
  const words = `of the type "${given}" that the filter means`;
  const known = RecordType.safeParse(given).success;
  return { words, selector: known ? { type: given, filter } : undefined };
}

/** A filter with its values filled in, which have to suit their operators then. */
async function filled(where: RecordFilter, { renderValue }: Filling): Promise<RecordFilter> {
  const values = (await renderValue(valuesIn(where))) as unknown[];
  const filter = RecordFilter.safeParse(withValues(where, values.values()));
  if (filter.success) return filter.data;
  const [issue] = filter.error.issues;
  throw new StepError(`${['recordFilter.where', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
}

const valuesIn = (filter: RecordFilter): unknown[] =>
  'conditions' in filter
    ? filter.conditions.flatMap(valuesIn)
    : filter.value === undefined
      ? []
      : [filter.value];

/** The filter with other values, in the order of {@link valuesIn}. */
const withValues = (filter: RecordFilter, values: Iterator<unknown>): RecordFilter =>
  'conditions' in filter
    ? { ...filter, conditions: filter.conditions.map((condition) => withValues(condition, values)) }
    : { ...filter, ...(filter.value !== undefined && { value: values.next().value }) };
