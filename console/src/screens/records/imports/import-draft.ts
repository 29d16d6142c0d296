/**
 * What somebody decides about an import, between its dry runs: as the API takes it at the start.
 *
 * The console keeps it for the session of the browser, so that a reload, and an import of mended rows, begin with it.
 */

import type { OperationRequest, OperationResponse } from '../../../api/api.ts';

export type SentSettings = NonNullable<NonNullable<OperationRequest<'imports.start'>['body']>['settings']>;
type Columns = NonNullable<SentSettings['columns']>;
export type ColumnSettings = Columns[string];
export type ReadAs = NonNullable<ColumnSettings['as']>;
export type TriedImport = Extract<OperationResponse<'imports.start'>, { rowsEstimated: number }>;
export type FoundColumn = TriedImport['columns'][number];

export interface ImportDraft {
  type: string;
  typeColumn: string;
  nameColumn: string;
  mode: 'create' | 'upsert';
  /** The column that finds a record; blank for the name. */
  key: string;
  columns: Columns;
  emptyAs: 'missing' | 'null' | 'text';
  onError: 'skip' | 'stop';
  encoding: string;
  hasHeader: boolean;
}

export const newDraft = (type: string): ImportDraft => ({
  type,
  typeColumn: '',
  nameColumn: '',
  mode: 'create',
  key: '',
  columns: {},
  emptyAs: 'missing',
  onError: 'skip',
  encoding: '',
  hasHeader: true,
});

export function toSettings(draft: ImportDraft): SentSettings {
  const { type, typeColumn, nameColumn, mode, key, columns, emptyAs, onError, encoding, hasHeader } = draft;
  const isCsvSet = encoding !== '' || !hasHeader;
  return {
    ...(typeColumn ? { typeColumn } : { type }),
    ...(nameColumn && { nameColumn }),
    mode,
    ...(mode === 'upsert' && key && { key: [key] }),
    columns,
    emptyAs,
    onError,
    ...(isCsvSet && { csv: { header: hasHeader, ...(encoding && { encoding }) } }),
  };
}

/** The settings of a column with some changed; without any, it is as the file has it. */
export function withColumn(draft: ImportDraft, name: string, change: ColumnSettings): ImportDraft {
  const { [name]: held, ...others } = draft.columns;
  const { to, as } = { ...held, ...change };
  const settings = {
    ...(to !== undefined && to !== '' && { to }),
    ...(as !== undefined && as !== 'auto' && { as }),
  };
  return {
    ...draft,
    columns: Object.keys(settings).length > 0 ? { ...others, [name]: settings } : others,
  };
}

/** Which column names the records, if nobody said so. */
export const pickNameColumn = ({ nameColumn }: ImportDraft, columns: readonly FoundColumn[]) =>
  nameColumn || (columns.find(({ name }) => name.toLowerCase() === 'name')?.name ?? '');

/** Which column probably does, of a file where none is called so. */
export const guessNameColumn = (columns: readonly FoundColumn[]): string =>
  (columns.find(({ name }) => /(^|[^a-z])(name|title|subject)([^a-z]|$)/i.test(name)) ?? columns[0])?.name ??
  '';

const keptAs = (id: string) => `import ${id}`;

export function keepDraft(id: string, draft: ImportDraft): void {
  sessionStorage.setItem(keptAs(id), JSON.stringify(draft));
}

export function keptDraft(id: string): ImportDraft | undefined {
  const kept = sessionStorage.getItem(keptAs(id));
  return kept === null ? undefined : (JSON.parse(kept) as ImportDraft);
}
