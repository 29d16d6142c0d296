import { typePath } from '../../../routing/record-paths.ts';
import { Link } from '../../../ui/link.tsx';
import { count } from '../../../ui/values/format.ts';
import type { Outcome } from './use-upload.ts';

const shownMax = 100;

/** What became of the rows of a file, also of one that is not done. */
export const UploadOutcome = ({ outcome }: { outcome: Outcome }) => {
  const { plan, created, leftOut, problems, nextLine } = outcome;
  return (
    <>
      <p>
        <strong>
          {nextLine !== undefined && 'Not finished: '}
          {count(created)} {created === 1 ? 'record was' : 'records were'} created
        </strong>
        {nextLine === undefined && !plan.typeColumn && (
          <>
            {'. '}
            <Link to={typePath(plan.type)}>Show them</Link>
          </>
        )}
      </p>
      {nextLine !== undefined && (
        <p className="help">
          {nextLine > 0 && `The rows above line ${count(nextLine)} are done. `}
          The last request may have created more. If you go on, those are reported as rows that exist.
        </p>
      )}
      {leftOut > 0 && (
        <>
          <p>
            {leftOut === 1
              ? 'One row has a problem and was'
              : `${count(leftOut)} rows have problems and were`}{' '}
            left out:
          </p>
          <ul className="records-problems">
            {problems.slice(0, shownMax).map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
          {problems.length > shownMax && (
            <p className="help">And {count(problems.length - shownMax)} more.</p>
          )}
        </>
      )}
    </>
  );
};
