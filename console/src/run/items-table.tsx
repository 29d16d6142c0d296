import { useState } from 'react';
import { runViewTexts } from '../texts/run-view.ts';
import { sharedTexts } from '../texts/shared.ts';
import { Button } from '../ui/forms/button.tsx';
import { StatusLabel } from '../ui/status.tsx';
import { Table, type TableColumn } from '../ui/tables/table.tsx';
import { durationText } from '../ui/values/format.ts';
import { ListedCost } from '../ui/values/listed-cost.tsx';
import { inOneLine } from '../ui/values/one-line.ts';
import type { ItemRow } from './item-rows.ts';

/** So many are laid out at first, and so many more on request. */
const pageItems = 50;

const costColumn: TableColumn<ItemRow> = {
  title: sharedTexts.cost,
  cell: ({ cost }) => (cost === undefined ? '' : <ListedCost of={cost} />),
  isNumber: true,
};

/** What a map did for each of its items. */
export function ItemsTable({ items }: { items: readonly ItemRow[] }) {
  const [shown, setShown] = useState(pageItems);
  return (
    <div className="run-items">
      <Table
        label={runViewTexts.items}
        rows={items.slice(0, shown)}
        keyOf={({ path }) => path}
        columns={[
          { title: runViewTexts.item, cell: ({ path }) => <code>{path}</code> },
          { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
          {
            title: sharedTexts.output,
            cell: ({ output }) => <bdi>{output === undefined ? '' : inOneLine(output)}</bdi>,
          },
          ...(items.some(({ cost }) => cost !== undefined) ? [costColumn] : []),
          { title: sharedTexts.duration, cell: ({ durationMs }) => durationText(durationMs), isNumber: true },
        ]}
      />
      {items.length > shown && (
        <Button look="quiet" onPress={() => setShown(shown + pageItems)}>
          {runViewTexts.showMoreItems(items.length)}
        </Button>
      )}
    </div>
  );
}
