import * as z from 'zod';
import { filterSchema } from '../../../core/filters/filter.ts';
import { filterSizes } from '../../../core/filters/filter-size.ts';
import { isTemplated, Template, TemplatedJson } from './template-text.ts';

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
      description: `The record of the type that changed last among those that \`where\` means: a condition or groups of them, whose values may be templates. Looks through 10,000 records at most. ${filterSizes}`,
    }),
};
export type SelectorConfig = {
  [Name in keyof typeof selectorMembers]?: z.infer<(typeof selectorMembers)[Name]>;
};

/** Refuses a config that names its record in no way, in two ways, or by half. */
export function checkSelector(config: SelectorConfig, context: z.RefinementCtx): void {
  const refuse = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [one, other] of aliases) {
    if (config[one] !== undefined && config[other] !== undefined)
      refuse([other], `Give either ${one} or ${other}, which is another name of it`);
  }
  const { id, type, name, filter } = selectorIn(config);
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

export const selectorIn = ({
  id,
  recordId,
  recordType,
  type,
  recordName,
  name,
  recordFilter,
}: SelectorConfig) => ({
  id: id ?? recordId,
  type: recordType ?? type,
  name: recordName ?? name,
  filter: recordFilter,
});
