import type { Api } from '../../api/api.ts';
import { templateTexts } from '../../texts/templates.ts';
import type { SampleRecords } from '../template.ts';
import type { Created } from './create-from-template.ts';
import { freeType } from './free-names.ts';
import type { Undoable } from './undoable.ts';

/** All by one request. The last one is the newest: it is what a flow is tried on first. */
export async function createRecords(
  call: Api['call'],
  { type, items }: SampleRecords,
  made: Pick<Created, 'recordIds' | 'types'>,
  undoable: Undoable,
): Promise<void> {
  const typeValue = await freeType(call, type);
  made.types[type] = typeValue;
  const file = new File([csvOf(items)], 'samples.csv', { type: 'text/csv' });
  const { records, errors, errorDetails } = await call('POST /v1/records/upload-csv', {
    body: { file, nameColumn, typeValue },
  });
  const ids = records.map(({ id }) => id);
  made.recordIds.push(...ids);
  if (ids.length > 0)
    undoable.add(templateTexts.theRecordsOf(typeValue), () =>
      call('POST /v1/records/bulk-delete', { body: { ids } }),
    );
  if (errors > 0) throw new Error(errorDetails[0] ?? templateTexts.samplesRefused);
}

const nameColumn = 'sample name';

function csvOf(items: SampleRecords['items']): string {
  const columns = [...new Set(items.flatMap(({ metadata }) => Object.keys(metadata)))];
  const rows = items.map(({ name, metadata }) => [name, ...columns.map((column) => metadata[column] ?? '')]);
  return [[nameColumn, ...columns], ...rows].map((cells) => cells.map(quoted).join(',')).join('\n');
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
