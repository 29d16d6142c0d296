import * as z from 'zod';
import { filterSchema, filterSizes } from '../../../core/filters/filter.ts';
import { isTemplated, Template, TemplatedJson } from './template-text.ts';

const text = Template.min(1).optional();
const createAlias = (name: string) => text.meta({ description: `An alias of ${name}` });

export const selectorMembers = {
  id: text.meta({ description: 'The record’s id' }),
  recordId: createAlias('id'),
  recordType: text.meta({
    description: 'Together with recordName: selects the record of this type and name',
  }),
  type: createAlias('recordType'),
  recordName: text,
  name: createAlias('recordName'),
  recordFilter: z
    .strictObject({
      type: Template.min(1),
      where: filterSchema({ Value: TemplatedJson, isOpen: isTemplated }).optional(),
    })
    .optional()
    .meta({
      description: `Selects the most recently changed record of the type that matches \`where\`: a condition or groups of them, whose values may be templates. Reads at most 10,000 records. ${filterSizes}`,
    }),
};
export type SelectorConfig = {
  [Name in keyof typeof selectorMembers]?: z.infer<(typeof selectorMembers)[Name]>;
};

/** Rejects a config without a selector, with several, or with half of one. */
export function checkSelector(config: SelectorConfig, context: z.RefinementCtx): void {
  const refuse = (path: PropertyKey[], message: string) =>
    context.addIssue({ code: 'custom', path, message });
  for (const [one, other] of aliases) {
    if (config[one] !== undefined && config[other] !== undefined)
      refuse([other], `Give either ${one} or its alias ${other}`);
  }
  const { id, type, name, filter } = readSelector(config);
  const ways = [id, type ?? name, filter].filter((way) => way !== undefined).length;
  if (ways !== 1) refuse([], 'Select the record by id, by recordType and recordName, or by recordFilter');
  else if ((type === undefined) !== (name === undefined))
    refuse([type === undefined ? 'recordType' : 'recordName'], 'Give recordType and recordName together');
}

const aliases = [
  ['id', 'recordId'],
  ['recordType', 'type'],
  ['recordName', 'name'],
] as const;

export const readSelector = ({
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
