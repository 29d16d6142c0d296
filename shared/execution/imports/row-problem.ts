import type { Problem, ReadRow } from '../../domain/imports/columns.ts';

export type RowProblem = Problem & { row: number };

export const takenProblem = (
  row: number,
  { name = '' }: Pick<ReadRow, 'name'>,
  column: string | undefined,
): RowProblem => ({
  row,
  column: column ?? null,
  code: 'NAME_TAKEN',
  message: 'A record of this type has this name already',
  text: name.slice(0, 200),
});
