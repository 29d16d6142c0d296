import type { Client } from '../../../../packages/client/src/client.ts';
import { templateTexts } from '../../texts/templates.ts';
import type { SampleRecords } from '../template.ts';
import type { CreatedByTemplate } from './create-from-template.ts';
import { freeType } from './free-names.ts';
import type { Undoable } from './undoable.ts';

/** All by one request. The last one is the newest: it is what a flow is tried on first. */
export async function createSampleRecords(
  api: Client,
  { type, items }: SampleRecords,
  made: Pick<CreatedByTemplate, 'recordIds' | 'types'>,
  undoable: Undoable,
): Promise<void> {
  const typeValue = await freeType(api, type);
  made.types[type] = typeValue;
  const file = new File([csvOf(items)], 'samples.csv', { type: 'text/csv' });
  const { records, errors, errorDetails } = await api.records.uploadCsv({
    body: { file, nameColumn, typeValue },
  });
  const ids = records.map(({ id }) => id);
  made.recordIds.push(...ids);
  if (ids.length > 0)
    undoable.add(templateTexts.theRecordsOf(typeValue), () => api.records.bulkDelete({ body: { ids } }));
  if (errors > 0) throw new Error(errorDetails[0] ?? templateTexts.samplesRefused);
}

const nameColumn = 'sample name';

function csvOf(items: SampleRecords['items']): string {
  const columns = [...new Set(items.flatMap(({ metadata }) => Object.keys(metadata)))];
  const rows = items.map(({ name, metadata }) => [name, ...columns.map((column) => metadata[column] ?? '')]);
  return [[nameColumn, ...columns], ...rows].map((cells) => cells.map(quoted).join(',')).join('\n');
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
