import { valueOfField } from '../../../../shared/core/filters/field.ts';
import type { OperationResponse } from '../../api/api.ts';
import { recordPath } from '../../routing/record-paths.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Link } from '../../ui/link.tsx';
import type { TableColumn } from '../../ui/tables/table.tsx';
import { Time } from '../../ui/values/time.tsx';

type Row = OperationResponse<'records.list'>['data'][number];

export const recordColumns = (shown: readonly string[]): TableColumn<Row>[] => [
  {
    title: sharedTexts.name,
    cell: ({ id, name }) => (
      <Link to={recordPath(id)}>
        <bdi>{name}</bdi>
      </Link>
    ),
  },
  ...shown.map((field) => ({
    title: field,
    id: `field ${field}`,
    cell: (row: Row) => <bdi>{cellOf(valueOfField(row, field))}</bdi>,
  })),
  { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
];

const shownCharacters = 200;
function cellOf(value: unknown): string {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
  return text.slice(0, shownCharacters);
}
