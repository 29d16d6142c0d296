import type { OperationItem } from '../../../api/api.ts';
import { usePages } from '../../../api/queries.ts';
import { importPath, newImportPath } from '../../../routing/record-paths.ts';
import { exportTexts } from '../../../texts/exports.ts';
import { importTexts } from '../../../texts/imports.ts';
import { countText } from '../../../texts/language.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { valueText } from '../../../texts/values.ts';
import { Link } from '../../../ui/link.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { bytes } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';

/** Files that came in, and files that went out. */
export const ImportsAndExports = () => (
  <ScreenPage
    title={importTexts.importsAndExports}
    above={[{ to: '/records', label: sharedTexts.records }]}
    actions={
      <Link to={newImportPath()} className="button primary">
        {importTexts.import}
      </Link>
    }
  >
    <div className="stack">
      <section aria-labelledby="imports">
        <h2 id="imports">{importTexts.imports}</h2>
        <Imports />
      </section>
      <section aria-labelledby="exports">
        <h2 id="exports">{exportTexts.exports}</h2>
        <Exports />
      </section>
    </div>
  </ScreenPage>
);

const limit = 20;
const everyMs = { open: 2_000, idle: 20_000 };
const isOpen = ({ status }: { status: string }) => status === 'queued' || status === 'running';
const howOften = (rows: readonly { status: string }[]) => (rows.some(isOpen) ? everyMs.open : everyMs.idle);

type Import = OperationItem<'imports.list'>;
type Export = OperationItem<'exports.list'>;

const Imports = () => (
  <PagedTable
    label={importTexts.imports}
    hasChosenColumns
    pages={usePages('imports.list', {}, { limit, everyMs: howOften })}
    keyOf={({ id }) => id}
    columns={[
      {
        title: importTexts.file,
        cell: ({ id, name }: Import) => (
          <Link to={importPath(id)}>
            <bdi>{name}</bdi>
          </Link>
        ),
      },
      { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
      {
        title: importTexts.rows,
        cell: ({ rows }) => (rows.read > 0 ? countText(rows.read) : ''),
        isNumber: true,
      },
      {
        title: importTexts.skippedRows,
        cell: ({ rows }) => (rows.failed > 0 ? countText(rows.failed) : ''),
        isNumber: true,
        isExtra: true,
      },
      { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
    ]}
    empty={
      <Empty title={importTexts.noImports}>
        <p>{importTexts.aboutImports}</p>
      </Empty>
    }
  />
);

const Exports = () => (
  <PagedTable
    label={exportTexts.exports}
    hasChosenColumns
    pages={usePages('exports.list', {}, { limit, everyMs: howOften })}
    keyOf={({ id }) => id}
    columns={[
      { title: exportTexts.what, cell: ({ what }: Export) => exportTexts.exportOf[what] },
      { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
      { title: exportTexts.rows, cell: ({ progress }) => countText(progress.rows), isNumber: true },
      {
        title: exportTexts.link,
        cell: ({ url, format, bytes: size, error }) =>
          url ? (
            <a href={url} download>
              {valueText(format)}, {bytes(size ?? 0)}
            </a>
          ) : (
            (error?.message ?? valueText(format))
          ),
      },
      { title: sharedTexts.created, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
    ]}
    empty={<Empty title={exportTexts.noExports} />}
  />
);
