import { useId, useState } from 'react';
import { importTexts } from '../../../texts/imports.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { type FoundColumn, type ImportDraft, type ReadAs, withColumn } from './import-draft.ts';

interface Props {
  columns: readonly FoundColumn[];
  /** In so many of the first rows nothing is known of it. */
  badRows: number;
  draft: ImportDraft;
  /** The one that names the records. */
  nameColumn: string;
  onChange: (draft: ImportDraft) => unknown;
}

const shownAtFirst = 50;

/** What each column becomes: where its values go, as what they are read, or that they are left out. */
export function ImportColumns({ columns, badRows, draft, nameColumn, onChange }: Props) {
  const [shown, setShown] = useState(shownAtFirst);
  const settings = Object.values(draft.columns);
  const left = settings.filter(({ to }) => to === null).length;
  const further = columns.length - shown;
  return (
    <section aria-labelledby="columns">
      <h2 id="columns">{importTexts.columns}</h2>
      <p className="help">
        {importTexts.columnCount(columns.length)},{' '}
        {settings.length === 0
          ? importTexts.allTaken
          : importTexts.changedColumns(settings.length - left, left)}
      </p>
      <ul className="import-columns">
        {columns.slice(0, shown).map((column) => (
          <Column
            key={column.name}
            column={{ ...column, missing: column.missing - badRows }}
            draft={draft}
            isName={column.name === nameColumn}
            onChange={onChange}
          />
        ))}
      </ul>
      {further > 0 && (
        <p className="more">
          {importTexts.moreColumns(further)}{' '}
          <Button onPress={() => setShown(columns.length)}>{sharedTexts.showAll}</Button>
        </p>
      )}
    </section>
  );
}

const readAs: readonly ReadAs[] = ['auto', 'text', 'number', 'boolean', 'json', 'date'];
const examplesMax = 3;

interface ColumnProps extends Omit<Props, 'columns' | 'badRows' | 'nameColumn'> {
  column: FoundColumn;
  isName: boolean;
}

function Column({ column: { name, as, examples, missing }, draft, isName, onChange }: ColumnProps) {
  const id = useId();
  const { to, as: asked = 'auto' } = draft.columns[name] ?? {};
  const isType = name === draft.typeColumn;
  const isTaken = to !== null;
  const found = asked === 'auto' ? importTexts.foundAs(asText(as)) : importTexts.as.auto;
  return (
    <li>
      <div className="import-column">
        <input
          id={id}
          type="checkbox"
          aria-label={importTexts.take(name)}
          checked={isTaken}
          disabled={isName || isType}
          onChange={({ target }) =>
            onChange(withColumn(draft, name, { to: target.checked ? undefined : null }))
          }
        />
        <label htmlFor={id}>
          <bdi>{name}</bdi>
          <span className="help">
            <bdi>
              {examples.slice(0, examplesMax).map(exampleText).join(', ')}
              {missing > 0 && ` (${importTexts.blankIn(missing)})`}
            </bdi>
          </span>
        </label>
      </div>
      {isName || isType ? (
        <p className="help import-own">{isName ? importTexts.isName : importTexts.isType}</p>
      ) : (
        <>
          <input
            aria-label={importTexts.goesTo(name)}
            value={to ?? ''}
            placeholder={isTaken ? name : ''}
            disabled={!isTaken}
            maxLength={1_000}
            aria-invalid={hasGaps(to)}
            title={hasGaps(to) ? importTexts.pathHasGaps : undefined}
            onChange={({ target }) => onChange(withColumn(draft, name, { to: target.value || undefined }))}
          />
          <select
            aria-label={importTexts.readAs(name)}
            value={asked}
            disabled={!isTaken}
            onChange={({ target }) => onChange(withColumn(draft, name, { as: target.value as ReadAs }))}
          >
            {readAs.map((value) => (
              <option key={value} value={value}>
                {value === 'auto' ? found : importTexts.as[value]}
              </option>
            ))}
          </select>
        </>
      )}
    </li>
  );
}

const hasGaps = (to: string | null | undefined) => to?.split('.').includes('') ?? false;

const asText = (as: string) => importTexts.as[as as ReadAs] ?? as;

const exampleMax = 40;
const exampleText = (value: unknown) =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, exampleMax);
