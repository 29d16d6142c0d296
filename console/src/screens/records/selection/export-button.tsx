import { useState } from 'react';
import { type OperationRequest, useApi } from '../../../api/api.ts';
import { recordTexts } from '../../../texts/records.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { failureText } from '../../../ui/loading/failure-text.ts';
import { notify } from '../../../ui/notices.tsx';
import { download } from '../../../ui/values/download.ts';

/** So many records the API puts into a file. */
const fileMax = 100_000;

interface Props {
  query: NonNullable<OperationRequest<'records.export'>>['query'];
}

/** Downloads the records of a table as CSV, with all of their columns. */
export function ExportButton({ query }: Props) {
  const api = useApi();
  const [isPending, setPending] = useState(false);

  async function exportRecords() {
    setPending(true);
    try {
      const { includeFields: _shown, ...filters } = query ?? {};
      const text: unknown = await api.records.export({ query: filters });
      if (typeof text !== 'string' || text === '') return notify(recordTexts.nothingToExport);
      download(text, 'records.csv', 'text/csv');
      if (text.split('\n').length > fileMax) notify(recordTexts.fileHoldsNewest(fileMax));
    } catch (error) {
      notify(failureText(error as Error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Button onPress={exportRecords} isPending={isPending}>
      {isPending ? recordTexts.exporting : recordTexts.exportCsv}
    </Button>
  );
}
