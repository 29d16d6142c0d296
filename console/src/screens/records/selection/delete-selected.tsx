import { useApi } from '../../../api/api.ts';
import { recordTexts } from '../../../texts/records.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { uiTexts } from '../../../texts/ui.ts';
import type { ActOnAll } from '../../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../../ui/selection/bulk-button.tsx';
import type { RowSelection } from '../../../ui/selection/use-selection.ts';

/** So many ids a request takes. */
const idsMax = 1_000;

/** Deletes the records that somebody selected, in as many requests as it takes. */
export function DeleteSelected<Row extends { id: string }>({ selection }: { selection: RowSelection<Row> }) {
  const api = useApi();

  const act: ActOnAll<Row> = async (rows, { signal, onDone }) => {
    let left = rows.map(({ id }) => id);
    let deleted = 0;
    const rest = (error: unknown) =>
      rows.filter(({ id }) => left.includes(id)).map((row) => ({ row, error: error as Error }));
    try {
      while (left.length > 0 && !signal.aborted) {
        const answer = await api.records.bulkDelete({ body: { ids: left.slice(0, idsMax) } });
        const remaining = answer.remainingIds ?? [];
        // A request that deletes nothing would repeat for ever.
        if (answer.deleted === 0 && remaining.length > 0) throw new Error(recordTexts.restNotDeleted);
        left = [...remaining, ...left.slice(idsMax)];
        deleted += answer.deleted;
        onDone(deleted);
      }
      return [];
    } catch (error) {
      return rest(error);
    }
  };

  return (
    <BulkButton
      selection={selection}
      titleOf={recordTexts.deleteRecords}
      question={recordTexts.resultsOfThemAreDeletedToo}
      progressOf={uiTexts.deletedOf}
      act={act}
      changes={['records']}
      successOf={recordTexts.recordsDeleted}
    >
      {sharedTexts.delete}
    </BulkButton>
  );
}
