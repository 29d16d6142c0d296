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
  if (filter) return selectByFilter(filter, step);
  const render = async (template = '') => (await step.render(template)).trim();
  if (id !== undefined) {
    const renderedId = await render(id);
    const isValid = resourceId('record').safeParse(renderedId).success;
    return { description: `with the id "${renderedId}"`, selector: isValid ? { id: renderedId } : undefined };
  }
  const pair = { type: await render(type), name: await render(name) };
  const description = `of the type "${pair.type}" with the name "${pair.name}"`;
  const isValid = RecordType.safeParse(pair.type).success && RecordName.safeParse(pair.name).success;
  return { description, selector: isValid ? pair : undefined };
}

async function selectByFilter({ type, where }: NonNullable<SelectorConfig['recordFilter']>, step: Filling) {
  const renderedType = (await step.render(type)).trim();
  const filter = where && (await fillFilter(where, step));
  const description = `of the type "${renderedType}" that matches the filter`;
  const isValid = RecordType.safeParse(renderedType).success;
  return { description, selector: isValid ? { type: renderedType, filter } : undefined };
}

/** A filter with its templates rendered. @throws StepError if a value does not suit its operator. */
async function fillFilter(where: RecordFilter, { renderValue }: Filling): Promise<RecordFilter> {
  const values = (await renderValue(listValues(where))) as unknown[];
  const filter = RecordFilter.safeParse(replaceValues(where, values.values()));
  if (filter.success) return filter.data;
  const [issue] = filter.error.issues;
  throw new StepError(`${['recordFilter.where', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
}

const listValues = (filter: RecordFilter): unknown[] =>
  'conditions' in filter
    ? filter.conditions.flatMap(listValues)
    : filter.value === undefined
      ? []
      : [filter.value];

/** The filter with other values, in the order of {@link listValues}. */
const replaceValues = (filter: RecordFilter, values: Iterator<unknown>): RecordFilter =>
  'conditions' in filter
    ? { ...filter, conditions: filter.conditions.map((condition) => replaceValues(condition, values)) }
    : { ...filter, ...(filter.value !== undefined && { value: values.next().value }) };
