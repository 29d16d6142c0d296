import type { RecordSelector } from '../../adapters/ports/records-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { RecordFilter } from '../../core/filters/filter.ts';
import { resourceId } from '../../core/ids.ts';
import { readSelector, type SelectorConfig } from '../../domain/flows/steps/selector-config.ts';
import { RecordName, RecordType } from '../../domain/records/record.ts';
import type { StepRun } from './step-runner.ts';

type Filling = Pick<StepRun<SelectorConfig>, 'config' | 'render' | 'renderValue'>;

/** @returns a description for error messages; the selector is undefined if no record can have such an id or name. */
export async function renderSelector(step: Filling): Promise<{
  description: string;
  selector: RecordSelector | undefined;
}> {
  const { id, type, name, filter } = readSelector(step.config);
  if (filter) return byFilter(filter, step);
  const render = async (template = '') => (await step.render(template)).trim();
  if (id !== undefined) {
    const given = await render(id);
    const known = resourceId('record').safeParse(given).success;
    return { description: `with the id "${given}"`, selector: known ? { id: given } : undefined };
  }
  const pair = { type: await render(type), name: await render(name) };
  const description = `of the type "${pair.type}" with the name "${pair.name}"`;
  const known = RecordType.safeParse(pair.type).success && RecordName.safeParse(pair.name).success;
  return { description, selector: known ? pair : undefined };
}

async function byFilter({ type, where }: NonNullable<SelectorConfig['recordFilter']>, step: Filling) {
  const given = (await step.render(type)).trim();
  const filter = where && (await filled(where, step));
  const description = `of the type "${given}" that matches the filter`;
  const known = RecordType.safeParse(given).success;
  return { description, selector: known ? { type: given, filter } : undefined };
}

/** A filter with its templates rendered. @throws StepError if a value does not suit its operator. */
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
