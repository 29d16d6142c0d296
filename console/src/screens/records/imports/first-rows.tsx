import { importTexts } from '../../../texts/imports.ts';
import { countText } from '../../../texts/language.ts';
import type { ImportDraft, TriedImport } from './import-draft.ts';

interface Props {
  of: TriedImport;
  draft: ImportDraft;
  nameColumn: string;
}

type Problem = TriedImport['problems'][number];
const columnsMax = 50;
const furtherMax = 20;

/** The beginning of the file as records, with what is wrong in the cells where it is. */
export function FirstRows({ of, draft, nameColumn }: Props) {
  const problems = of.problems.filter(({ row }) => row > 0);
  const byRow = new Map(problems.map((problem) => [problem.row, problem]));
  const columns = of.columns.flatMap((column, place) =>
    draft.columns[column.name]?.to === null ? [] : [{ ...column, place }],
  );
  const shown = columns.slice(0, columnsMax);
  const places = shown.map(({ place }) => place);
  const placeOf = (problem: Problem | undefined) =>
    of.columns.findIndex(({ name }) => name === problem?.column);
  const further = problems.filter(({ row }) => row > of.cells.length);
  return (
    <section aria-labelledby="first-rows">
      <h2 id="first-rows">{importTexts.firstRows}</h2>
      <p className={problems.length > 0 ? 'problem' : 'help'} role="status">
        {problems.length > 0 ? importTexts.problemsAtFirst(problems.length) : importTexts.noProblemsAtFirst}
      </p>
      {of.cells.length === 0 ? (
        <p className="help">{importTexts.noRowToShow}</p>
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
        <div
          className="table-box import-rows"
          role="group"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1, what scrolls needs the focus
          tabIndex={0}
          aria-labelledby="first-rows"
        >
          <table aria-labelledby="first-rows" style={{ '--columns': shown.length } as object}>
            <thead>
              <tr>
                <th scope="col" className="number">
                  {importTexts.row}
                </th>
                {shown.map(({ name, as }) => (
                  <th key={name} scope="col">
                    <bdi>{name}</bdi>
                    <span className="tag">{tagOf(name, as, draft, nameColumn)}</span>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {of.cells.map((cells, index) => {
                const problem = byRow.get(index + 1);
                return (
                  <Row
                    // biome-ignore lint/suspicious/noArrayIndexKey: a row of a file is its number
                    key={index}
                    row={index + 1}
                    cells={cells}
                    places={places}
                    problem={problem}
                    badPlace={placeOf(problem)}
                  />
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {columns.length > columnsMax && (
        <p className="help">{importTexts.beyondShown(columns.length - columnsMax)}</p>
      )}
      {further.length > 0 && <Further of={further} />}
    </section>
  );
}

function tagOf(name: string, as: string, { typeColumn, columns }: ImportDraft, nameColumn: string): string {
  if (name === nameColumn) return importTexts.nameColumn;
  if (name === typeColumn) return importTexts.type;
  const { to } = columns[name] ?? {};
  const read = importTexts.as[as as keyof typeof importTexts.as] ?? as;
  return to ? `${to}: ${read}` : read;
}

interface RowProps {
  row: number;
  cells: readonly string[];
  /** The places of the columns that are shown. */
  places: readonly number[];
  problem: Problem | undefined;
  /** The place of the column that the problem is about. */
  badPlace: number;
}

function Row({ row, cells, places, problem, badPlace }: RowProps) {
  const isBadAsWhole = problem && !places.includes(badPlace);
  return (
    <>
      <tr className={problem && 'import-bad'}>
        <td className="number">{countText(row)}</td>
        {places.map((place) => (
          <td key={place} className={problem && place === badPlace ? 'import-bad-cell' : undefined}>
            <div className="cell">
              <bdi>{cells[place]}</bdi>
            </div>
            {problem && place === badPlace && <div className="problem">{problem.message}</div>}
          </td>
        ))}
      </tr>
      {isBadAsWhole && (
        <tr className="import-bad import-reason">
          <td />
          <td colSpan={places.length} className="problem">
            {problem.message}
          </td>
        </tr>
      )}
    </>
  );
}

/** Those of the first 1,000 rows that are not in the table. */
const Further = ({ of }: { of: readonly Problem[] }) => (
  <details className="import-options">
    <summary>
      {importTexts.furtherProblems} ({countText(of.length)})
    </summary>
    <ul className="records-problems">
      {of.slice(0, furtherMax).map(({ row, column, message, text }) => (
        <li key={row}>
          {importTexts.rowNumber(row)}
          {column !== null && (
            <>
              , <bdi>{column}</bdi>
            </>
          )}
          : {message} <bdi className="help">{text}</bdi>
        </li>
      ))}
    </ul>
  </details>
);
